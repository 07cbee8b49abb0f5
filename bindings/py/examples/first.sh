cargo xtask bindings py --into sdk
python3 -m venv env && env/bin/pip install --quiet sdk/reckoning-*.whl
env/bin/python first.py

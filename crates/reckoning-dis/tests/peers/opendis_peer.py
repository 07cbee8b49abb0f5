"""PDUs in hexadecimal on stdin, one a line, through the PyPI package `opendis` 1.0.

    fields   what it read, as a line of JSON each: paths of fields and their values
    again    what it writes after reading
"""
import io
import json
import sys

from opendis import dis7
from opendis.DataInputStream import DataInputStream
from opendis.DataOutputStream import DataOutputStream

TYPES = {
    1: dis7.EntityStatePdu,
    2: dis7.FirePdu,
    3: dis7.DetonationPdu,
    11: dis7.CreateEntityPdu,
    12: dis7.RemoveEntityPdu,
    13: dis7.StartResumePdu,
    14: dis7.StopFreezePdu,
    67: dis7.EntityStateUpdatePdu,
}


def flat(value, path, into):
    if isinstance(value, (int, float)):
        into[path] = value
    elif isinstance(value, (list, tuple, bytes)):
        for place, item in enumerate(value):
            flat(item, f"{path}[{place}]", into)
    elif hasattr(value, "__dict__"):
        for name, item in vars(value).items():
            flat(item, f"{path}.{name}" if path else name, into)


for line in sys.stdin:
    data = bytes.fromhex(line.strip())
    pdu = TYPES[data[2]]()
    pdu.parse(DataInputStream(io.BytesIO(data)))
    if sys.argv[1] == "fields":
        fields = {}
        flat(pdu, "", fields)
        print(json.dumps(fields))
    else:
        out = io.BytesIO()
        pdu.serialize(DataOutputStream(out))
        print(out.getvalue().hex())

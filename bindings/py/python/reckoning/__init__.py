"""Dead reckoning for networked games and simulations.

The owner of a body and everyone who watches it run the same motion. While the guess is good enough nobody
sends anything; when it strays, one small update puts it right, and watchers blend towards it without a jump.

Moments are whole microseconds on a timeline of yours. A motion is an array: a position (3), and as far as
they are known a velocity (3), an acceleration (3), an orientation as x, y, z, w (4) and an angular velocity (3).
"""

from ._reckoning import Ghost, Ghosts, Joint, Kind, Publisher, load
from ._reckoning import Recording as Recording


def _to_pandas(recording):
    """The columns as a DataFrame, which shares their memory where pandas does."""
    import pandas

    return pandas.DataFrame(recording.columns(), copy=False)


Recording.to_pandas = _to_pandas

__all__ = ["Ghost", "Ghosts", "Joint", "Kind", "Publisher", "Recording", "load"]

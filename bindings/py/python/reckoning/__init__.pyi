from os import PathLike
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas

Model = Literal["hold", "linear", "accelerating", "damped", "decaying", "arc"]
Blend = Literal[
    "snap", "linear", "fade", "projective_velocity", "projective_velocity_printed", "bezier", "hermite", "catmull_rom"
]
Accepted = Literal["newest", "filled", "stale"]

class Joint:
    """A part that turns on bodies of a kind."""

    def __init__(
        self,
        *,
        threshold_rad: float | None = None,
        heartbeat_s: float = 5.0,
        min_interval_s: float = 0.05,
        blend_s: float = 0.2,
    ) -> None: ...

class Kind:
    """How a sort of body is published and shown: say it once, for owners and onlookers."""

    def __init__(
        self,
        *,
        threshold_m: float = 0.25,
        angle_threshold_rad: float | None = None,
        heartbeat_s: float = 0.5,
        full_interval_s: float = 10.0,
        heartbeat_spread: float = 0.0,
        seed: int = 0,
        min_interval_s: float = 0.0,
        stop_repeat_s: float = 0.1,
        export_stops: bool = True,
        judge_ahead_s: float | None = None,
        model: Model = "linear",
        model_s: float = 1.0,
        delayed: bool = False,
        blend: Blend = "projective_velocity",
        span_s: float | None = None,
        close_width_m: float | None = None,
        max_extrapolation_s: float | None = None,
        min_delay_s: float = 0.1,
        max_delay_s: float = 0.5,
        hedged: bool = False,
        joints: list[Joint] = ...,
    ) -> None: ...

class Publisher:
    """The owner's side of a body: decides when others must hear of it."""

    def __init__(self, kind: Kind, at_us: int, motion: npt.ArrayLike) -> None: ...
    @property
    def first(self) -> bytes:
        """The first update, which everyone gets."""
    @property
    def exported(self) -> int:
        """How many updates were sent, the first one included."""
    def observe(self, at_us: int, motion: npt.ArrayLike) -> bytes | None:
        """Takes the truth of this tick; the bytes to send when listeners need an update."""
    def teleport(self, at_us: int, motion: npt.ArrayLike) -> bytes | None:
        """The body is somewhere else at once: the bytes that say so."""
    def aim(self, joint: int, at_us: int, angle_rad: float, rate_radps: float) -> bool:
        """Whether listeners need this state of a joint: then send the three numbers."""
    def handle_lost(self, at_us: int) -> None:
        """Takes notice that the update about that moment was lost on its way."""

class Ghost:
    """A body that lives elsewhere, as it is shown here."""

    def __init__(self, kind: Kind, first: bytes, now_us: int) -> None: ...
    def accept(self, bytes: bytes, now_us: int) -> Accepted:
        """Takes an update that arrives now. Late, repeated and reordered ones may be passed in."""
    def pose(self, now_us: int) -> npt.NDArray[np.float64]:
        """Where and how to draw it now: a position and an orientation, seven numbers."""
    def accept_joint(self, joint: int, at_us: int, angle_rad: float, rate_radps: float, now_us: int) -> None:
        """Takes an update of a joint that arrives now."""
    def joint_angle(self, joint: int, now_us: int) -> float:
        """The angle at which to draw a joint now, in radians; 0 as long as nothing is known of it."""

class Ghosts:
    """Many ghosts, shown by one call. Each has a number, which is never given to another one."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    @property
    def numbers(self) -> list[int]:
        """Their numbers, in the order of poses."""
    def add(self, kind: Kind, first: bytes, now_us: int) -> int:
        """Adds the ghost of a body of that kind, from its first update, which arrives now. Gives its number."""
    def accept(self, ghost: int, bytes: bytes, now_us: int) -> Accepted:
        """Takes an update of a ghost that arrives now."""
    def remove(self, ghost: int) -> None:
        """Removes a ghost."""
    def poses(self, now_us: int) -> npt.NDArray[np.float64]:
        """Where and how to draw all of them now: a row of seven numbers for each."""

class Recording:
    """A recorded session."""

    @property
    def rate_hz(self) -> float:
        """How often a second bodies were sampled, or 0 where that is not known."""
    @property
    def units(self) -> str:
        """The unit of positions."""
    @property
    def body_width(self) -> float:
        """How wide bodies are, in that unit."""
    def __len__(self) -> int:
        """How many samples there are."""
    def columns(self) -> dict[str, np.ndarray]:
        """Each column as an array, by its name: body, team, t_s, x, y, z, yaw_rad, segment, alive."""
    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a DataFrame."""

def load(path: str | PathLike[str]) -> Recording:
    """Reads a recording that Reckoning knows, by the ending of its name."""

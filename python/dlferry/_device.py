from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._device_type import DeviceType


class Device(tuple[int, int]):
    """A device: the pair of its type and its number, as DLPack has it.

    It is a tuple, so it equals the plain pair, unpacks, and can be passed where DLPack wants one. Its name is
    ``str(device)``, which it does not equal, for it hashes as the pair does::

        >>> import dlferry
        >>> dlferry.Device(2, 1)
        dlferry.Device(2, 1)
        >>> dlferry.Device(2, 1) == (2, 1)
        True
        >>> str(dlferry.Device(2, 1)), dlferry.Device(1, 0).type
        ('cuda:1', <DeviceType.CPU: 1>)
    """

    __slots__ = ()

    def __new__(cls, type: int, id: int = 0) -> Device:
        return super().__new__(cls, (int(type), int(id)))

    @property
    def type(self) -> DeviceType | int:
        """What kind of device it is; a plain int when the kind has no name."""
        from ._device_type import DeviceType

        try:
            return DeviceType(self[0])
        except ValueError:
            return self[0]

    @property
    def id(self) -> int:
        """Which device of its kind; 0 for plain host memory."""
        return self[1]

    def __getnewargs__(self) -> tuple[int, int]:
        return self[0], self[1]

    def __repr__(self) -> str:
        return f"dlferry.Device({self[0]}, {self[1]})"

    def __str__(self) -> str:
        name = getattr(self.type, "name", f"device_type({self[0]})").lower()
        return name if self == (1, 0) else f"{name}:{self[1]}"

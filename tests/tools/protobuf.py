"""A decoder of Protocol Buffers for tests, from the encoding's description alone:
fields(bytes) gives (number, value): integers for varints, bytes for the others."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 in (1, 2, 5):
            length, at = varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value = data[at:at + length]
            assert len(value) == length, "a field reaches over the end"
            at += length
        else:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def message(data):
    """The last value of each field."""
    return dict(fields(data))


def varints(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out

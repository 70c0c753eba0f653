"""Tensors as we write them are what the safetensors library reads, and what we read ourselves."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from hypertorus.files.tensors import DTYPES, TensorFile, TensorFileError, header_bytes, tensor_bytes


def test_tensors_of_every_dtype_and_shape_come_back(tmp_path):
    rng = np.random.default_rng(0)
    tensors = {
        f"{name}{shape}": rng.integers(0, 2, shape).astype(dtype)
        for name, dtype in DTYPES.items()
        for shape in [(), (3,), (0, 2), (5, 1, 3)]
    }
    tensors["turned"] = rng.standard_normal((4, 3)).T
    path = tmp_path / "tensors.safetensors"
    path.write_bytes(b"".join(tensor_bytes(tensors, {"made": "here"})))
    ours, theirs = TensorFile(path), load_file(path)
    assert ours.metadata == {"made": "here"}
    assert set(ours) == theirs.keys() == tensors.keys()
    for name, tensor in tensors.items():
        for read in (ours[name], theirs[name]):
            assert (read.dtype, read.shape) == (tensor.dtype, tensor.shape)
            np.testing.assert_array_equal(read, tensor)
        assert ours[name].flags.aligned


def test_what_the_format_does_not_have_is_refused():
    with pytest.raises(TypeError, match="a holds complex128; convert it to one of U8"):
        list(tensor_bytes({"a": np.zeros(3, complex)}, {}))


def test_a_header_fills_the_room_that_was_left_for_it(tmp_path):
    path = tmp_path / "late.safetensors"
    tensors = {"a": ("U8", [3])}
    path.write_bytes(header_bytes(tensors, {"known": "late"}, room=256) + bytes([1, 2, 3]))
    assert TensorFile(path).start == 256
    assert load_file(path)["a"].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="room is 64 bytes, but this header takes"):
        header_bytes(tensors, {"known": "late"}, room=64)


def test_a_file_that_is_read_and_bytes_are_as_one_that_is_mapped(tmp_path):
    tensors = {"a": np.arange(5), "b": np.arange(3, dtype=np.uint8)}
    content = b"".join(tensor_bytes(tensors, {}))
    path = tmp_path / "tensors.safetensors"
    path.write_bytes(content)
    read = TensorFile(path, mmap=False)
    path.write_bytes(bytes(len(content)))
    for file in (read, TensorFile.of(content, "bytes"), TensorFile.of((b"x" + content)[1:], "bytes")):
        for name, tensor in tensors.items():
            np.testing.assert_array_equal(file[name], tensor)
            assert file[name].flags.aligned
            assert not file[name].flags.writeable
    with pytest.raises(TensorFileError, match="bytes has 3 bytes"):
        TensorFile.of(b"abc", "bytes")

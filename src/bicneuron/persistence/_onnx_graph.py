"""An ONNX graph, built one operation at a time."""

from typing import Any

import numpy as np

# Supported by onnxruntime>=1.14; all operations used accept doubles.
OPSET, IR_VERSION = 17, 8
# Name of a tensor in the graph.
Tensor = str


class Graph:
    """Operations and constants; calling it adds an operation and returns the name of its result."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def __call__(self, operation: str, *inputs: Any, **attributes: Any) -> Tensor:
        """Add an operation; inputs that are not names of tensors become constants."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        result = f"t{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operation, names, [result], **attributes))
        return result

    def constant(self, value: Any) -> Tensor:
        """Add an array: int64, bool, text or otherwise float64."""
        array = np.asarray(value)
        if array.dtype.kind in "iu":
            array = array.astype(np.int64)
        elif array.dtype.kind == "f":
            array = array.astype(np.float64)
        elif array.dtype.kind in "UO":
            array = array.astype(object)
        name = f"c{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def type_of(self, constant: Tensor) -> int:
        """Element type of a constant."""
        found: int = self._constants[int(constant[1:])].data_type
        return found

    def name(self, tensor: Tensor, name: str) -> None:
        """Make a result an output of this name."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [tensor], [name]))

    def model(self, inputs: list[Any], outputs: list[Any], properties: dict[str, str]) -> bytes:
        """The checked model; inputs and outputs are (name, element type, shape)."""
        helper = self._onnx.helper
        model = helper.make_model(
            helper.make_graph(
                self._nodes,
                "bicneuron",
                [helper.make_tensor_value_info(*one) for one in inputs],
                [helper.make_tensor_value_info(*one) for one in outputs],
                initializer=self._constants,
            ),
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="bicneuron",
        )
        helper.set_model_props(model, properties)
        self._onnx.checker.check_model(model, full_check=True)
        content: bytes = model.SerializeToString()
        return content

"""PyTorch, lesson 2: a kernel as an operator of PyTorch's, so that torch.compile sees one opaque operation with a known
shape and a known gradient, where it would otherwise look into the launch.

    $ python3 samples/pytorch/custom_op.py
    torch.compile on cpu: one graph; largest difference from eager PyTorch, result 0.0e+00, gradient 0.0e+00

torch.compile generates code for the other operations: on a CPU with its C++ compiler, on a GPU with Triton, which is
installed beside this package then. `backend="aot_eager"` generates none."""
import torch

import softmax_autograd


@torch.library.custom_op("tegula_samples::softmax", mutates_args=())
def softmax(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    softmax_autograd.launch(softmax_autograd.softmax_forward, x, y)
    return y


@softmax.register_fake
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.custom_op("tegula_samples::softmax_gradient", mutates_args=())
def softmax_gradient(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    dx = torch.empty_like(y)
    softmax_autograd.launch(softmax_autograd.softmax_backward, y, dy.contiguous(), dx)
    return dx


@softmax_gradient.register_fake
def _(y, dy):
    return torch.empty_like(y)


softmax.register_autograd(lambda ctx, dy: softmax_gradient(*ctx.saved_tensors, dy),
                          setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))


def attention_weights(x, scale):
    return softmax(x * scale) + 1


def compare(device, backend):
    """Compiled and eager: the largest differences of the result and of the gradient, for two shapes."""
    compiled = torch.compile(attention_weights, backend=backend, fullgraph=True, dynamic=True)
    worst = [0.0, 0.0]
    for rows, columns in ((16, 100), (5, 333)):
        x = torch.randn(rows, columns, device=device, requires_grad=True)
        weight = torch.randn(rows, columns, device=device)
        results = []
        for function in (compiled, attention_weights):
            x.grad = None
            y = function(x, 0.125)
            (y * weight).sum().backward()
            results.append((y.detach(), x.grad))
        for index, (one, other) in enumerate(zip(*results)):
            worst[index] = max(worst[index], (one - other).abs().max().item())
    return worst


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    result, gradient = compare(device, "inductor")
    print(f"torch.compile on {device}: one graph; largest difference from eager PyTorch, result {result:.1e}, "
          f"gradient {gradient:.1e}")
    assert result < 1e-6 and gradient < 1e-6


if __name__ == "__main__":
    main()

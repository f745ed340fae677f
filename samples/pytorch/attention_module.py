"""PyTorch, lesson 3: a layer. Causal self-attention as an nn.Module, whose core is the kernel of
samples/08_flash_attention: softmax(Q K^T / sqrt(head)) V in one pass, without the matrix of scores.

    $ python3 samples/pytorch/attention_module.py
    attention of 2x100x64, 4 heads, on cpu: largest difference from PyTorch's einsum 1.2e-07"""
import math
import pathlib
import sys

import torch

import tegula

# The kernels of the samples say `import triton`, as Triton programs do.
import tegula.triton

tegula.triton.install()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "08_flash_attention"))
from flash_attention import attention_forward  # noqa: E402

BLOCK = 32


class Attention(torch.nn.Module):
    """Of x [batch, length, width] with width = heads * head; the same shape."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)

    def split(self, x):
        """Q, K and V of x, [batch, heads, length, head] each, dense."""
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, self.head)
        return (part.transpose(1, 2).contiguous() for part in qkv.unbind(2))

    def merge(self, result):
        return self.out(result.transpose(1, 2).flatten(2))

    @torch.no_grad()
    def forward(self, x):
        q, k, v = self.split(x)
        length = x.shape[1]
        result = torch.empty_like(q)
        grid = (tegula.cdiv(length, BLOCK), q.shape[0] * self.heads)
        attention_forward[grid](q, k, v, result, length, length, 1 / math.sqrt(self.head), HEAD=self.head,
                                BLOCK_Q=BLOCK, BLOCK_K=BLOCK, CAUSAL=True)
        return self.merge(result)

    @torch.no_grad()
    def by_einsum(self, x):
        """The definition."""
        q, k, v = self.split(x)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(self.head)
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        weights = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)
        return self.merge(torch.einsum("bhqk,bhkd->bhqd", weights, v))


def difference(batch, length, width, heads, device):
    torch.manual_seed(0)
    layer = Attention(width, heads).to(device)
    x = torch.randn(batch, length, width, device=device)
    return (layer(x) - layer.by_einsum(x)).abs().max().item()


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    worst = difference(2, 100, 64, 4, device)
    print(f"attention of 2x100x64, 4 heads, on {device}: largest difference from PyTorch's einsum {worst:.1e}")
    assert worst < (1e-5 if device == "cpu" else 2e-2)  # GPUs multiply f32 as tf32


if __name__ == "__main__":
    main()

import triton
import triton.language as tl


# Pictures are rows of pixels of CHANNELS bytes. Grid: (tiles across, tiles down, channels).
@triton.jit
def tile_position(BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)
    return x[None, :], y[:, None]


# A pixel outside of the picture has the value of the nearest edge pixel.
@triton.jit
def clamp_index(i, size):
    return tl.minimum(tl.maximum(i, 0), size - 1)


# A Gaussian in two dimensions is a product of two one-dimensional ones: 2 (2 R + 1) reads for each pixel instead of (2
# R + 1)^2. The intermediate picture is f32, so that only the second pass rounds.
@triton.jit
def blur_across(image_ptr, half_ptr, weight_ptr, width, height,
                RADIUS: tl.constexpr, CHANNELS: tl.constexpr, BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr):
    x, y = tile_position(BLOCK_X, BLOCK_Y)
    channel = tl.program_id(2)
    inside = (x < width) & (y < height)
    total = tl.zeros((BLOCK_Y, BLOCK_X), dtype=tl.float32)
    for tap in range(2 * RADIUS + 1):
        at = (y * width + clamp_index(x + tap - RADIUS, width)) * CHANNELS + channel
        pixel = tl.load(image_ptr + at, mask=inside, other=0).to(tl.float32)
        total += tl.load(weight_ptr + tap) * pixel
    tl.store(half_ptr + (y * width + x) * CHANNELS + channel, total, mask=inside)


@triton.jit
def blur_down(half_ptr, image_ptr, weight_ptr, width, height,
              RADIUS: tl.constexpr, CHANNELS: tl.constexpr, BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr):
    x, y = tile_position(BLOCK_X, BLOCK_Y)
    channel = tl.program_id(2)
    inside = (x < width) & (y < height)
    total = tl.zeros((BLOCK_Y, BLOCK_X), dtype=tl.float32)
    for tap in range(2 * RADIUS + 1):
        at = (clamp_index(y + tap - RADIUS, height) * width + x) * CHANNELS + channel
        total += tl.load(weight_ptr + tap) * tl.load(half_ptr + at, mask=inside, other=0.0)
    rounded = tl.minimum(total + 0.5, 255.0).to(tl.uint8)
    tl.store(image_ptr + (y * width + x) * CHANNELS + channel, rounded, mask=inside)


# Brightness of the pixel at (x, y), with the weights of Rec. ITU-R BT.601 for red, green and blue.
@triton.jit
def brightness(image_ptr, x, y, width, height, inside, CHANNELS: tl.constexpr):
    at = image_ptr + (clamp_index(y, height) * width + clamp_index(x, width)) * CHANNELS
    red = tl.load(at, mask=inside, other=0).to(tl.float32)
    green = tl.load(at + 1, mask=inside, other=0).to(tl.float32)
    blue = tl.load(at + 2, mask=inside, other=0).to(tl.float32)
    return 0.299 * red + 0.587 * green + 0.114 * blue


# Sobel's operator: the gradient of the brightness across and down, each smoothed along the other direction.
@triton.jit
def edges(image_ptr, edge_ptr, width, height,
          CHANNELS: tl.constexpr, BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr):
    x, y = tile_position(BLOCK_X, BLOCK_Y)
    inside = (x < width) & (y < height)
    across = tl.zeros((BLOCK_Y, BLOCK_X), dtype=tl.float32)
    down = tl.zeros((BLOCK_Y, BLOCK_X), dtype=tl.float32)
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            if dx != 0 or dy != 0:
                light = brightness(image_ptr, x + dx, y + dy, width, height, inside, CHANNELS)
                across += light * dx * (2 - dy * dy)
                down += light * dy * (2 - dx * dx)
    strength = tl.minimum(tl.sqrt(across * across + down * down) + 0.5, 255.0)
    tl.store(edge_ptr + y * width + x, strength.to(tl.uint8), mask=inside)

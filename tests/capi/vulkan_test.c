/* A Vulkan device, queue and memory that the program owns: Tegula's kernels run between the program's own commands.
 * usage: capi_vulkan_test; 77: there is no Vulkan device */
#include <vulkan/vulkan.h>

#include "check.h"

enum { N = 1000 };

static const char kScale[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def scale(x, out, n, factor, B: tl.constexpr = 128):\n"
                             "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                             "    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)\n";

#define VK(call)                                                                                                       \
  do {                                                                                                                 \
    VkResult result_ = (call);                                                                                         \
    if (result_ != VK_SUCCESS) {                                                                                       \
      fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, (int)result_);                                \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

typedef struct Program {
  VkInstance instance;
  VkPhysicalDevice physical;
  VkPhysicalDeviceFeatures2 features;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  int locks, unlocks;
} Program;

typedef struct Memory {
  VkBuffer buffer;
  VkDeviceMemory memory;
  float *mapped;
  uint64_t address;
} Memory;

static void open_device(Program *p) {
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  uint32_t count = 1;
  if (vkCreateInstance(&info, NULL, &p->instance) != VK_SUCCESS ||
      vkEnumeratePhysicalDevices(p->instance, &count, &p->physical) < 0 || count == 0) {
    printf("there is no Vulkan device\n");
    exit(77);
  }
  p->features = (VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &p->v11};
  p->v11 = (VkPhysicalDeviceVulkan11Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                              .pNext = &p->v12};
  p->v12 = (VkPhysicalDeviceVulkan12Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  vkGetPhysicalDeviceFeatures2(p->physical, &p->features);
  VkQueueFamilyProperties families[16];
  count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(p->physical, &count, families);
  while (p->family < count && !(families[p->family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    ++p->family;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                   .queueFamilyIndex = p->family,
                                   .queueCount = 1,
                                   .pQueuePriorities = &priority};
  VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &p->features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
  VK(vkCreateDevice(p->physical, &device, NULL, &p->device));
  vkGetDeviceQueue(p->device, p->family, 0, &p->queue);
}

/* A buffer in memory that the host sees. */
static Memory make_memory(Program *p) {
  Memory m = {0};
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             .size = 4096 + N * sizeof(float),
                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  VK(vkCreateBuffer(p->device, &info, NULL, &m.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(p->device, m.buffer, &needs);
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(p->physical, &types);
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while ((types.memoryTypes[type].propertyFlags & wanted) != wanted || !(needs.memoryTypeBits >> type & 1))
    ++type;
  VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                     .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .pNext = &flags,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = type};
  VK(vkAllocateMemory(p->device, &allocate, NULL, &m.memory));
  VK(vkBindBufferMemory(p->device, m.buffer, m.memory, 0));
  VK(vkMapMemory(p->device, m.memory, 0, VK_WHOLE_SIZE, 0, (void **)&m.mapped));
  VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = m.buffer};
  m.address = vkGetBufferDeviceAddress(p->device, &address);
  return m;
}

static void release_memory(Program *p, Memory *m) {
  vkDestroyBuffer(p->device, m->buffer, NULL);
  vkFreeMemory(p->device, m->memory, NULL);
}

static void lock(void *user) { ++((Program *)user)->locks; }
static void unlock(void *user) { ++((Program *)user)->unlocks; }

/* The elements behind the first `skipped` bytes. */
static tegula_buffer *wrap(tegula_device *device, const Memory *m, size_t skipped) {
  const int64_t shape[1] = {N};
  tegula_buffer *buffer;
  tegula_memory memory = TEGULA_MEMORY_INIT;
  memory.address = m->address + skipped;
  memory.bytes = N * sizeof(float);
  memory.rank = 1;
  memory.shape = shape;
  FAILS(TEGULA_DEVICE_ERROR, "needs the handle of the VkBuffer", tegula_buffer_wrap(device, &memory, &buffer));
  memory.handle = (void *)m->buffer;
  memory.handle_offset = skipped;
  OK(tegula_buffer_wrap(device, &memory, &buffer));
  return buffer;
}

/* Copies `from` to `to` by the program's own commands, behind what was submitted to the queue before. */
static void copy(Program *p, const Memory *from, const Memory *to) {
  VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = p->family};
  VkCommandPool pool;
  VkCommandBuffer commands;
  VK(vkCreateCommandPool(p->device, &pool_info, NULL, &pool));
  VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = pool,
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                          .commandBufferCount = 1};
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VK(vkAllocateCommandBuffers(p->device, &allocate, &commands));
  VK(vkBeginCommandBuffer(commands, &begin));
  VkBufferCopy region = {0, 0, N * sizeof(float)};
  vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
  VK(vkEndCommandBuffer(commands));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  VK(vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE));
  VK(vkQueueWaitIdle(p->queue));
  vkDestroyCommandPool(p->device, pool, NULL);
}

static void launch(tegula_kernel *kernel, tegula_stream *stream, tegula_buffer *x, tegula_buffer *out, double factor) {
  tegula_argument arguments[4] = {{NULL, TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {NULL, TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {N}},
                                  {NULL, TEGULA_ARG_REAL, TEGULA_F32, {0}}};
  const int64_t grid[3] = {8, 1, 1};
  arguments[0].as.buffer = x;
  arguments[1].as.buffer = out;
  arguments[3].as.real = factor;
  OK(tegula_kernel_launch(kernel, stream, grid, 4, arguments, NULL));
}

static void refusals(tegula_native_device native) {
  tegula_device *device;
  VkPhysicalDeviceFeatures2 none = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  const void *features = native.features;
  native.features = &none;
  FAILS(TEGULA_DEVICE_ERROR, "cannot be used as it was opened: it lacks", tegula_device_adopt(&native, &device));
  native.features = NULL;
  FAILS(TEGULA_DEVICE_ERROR, "the features that it was opened with", tegula_device_adopt(&native, &device));
  native.features = features;
  native.version = VK_API_VERSION_1_1;
  FAILS(TEGULA_DEVICE_ERROR, "at least 1.2 is needed", tegula_device_adopt(&native, &device));
  native.backend = "cpu";
  FAILS(TEGULA_DEVICE_ERROR, "the cpu backend cannot use a device", tegula_device_adopt(&native, &device));
  native.backend = "vulcan";
  FAILS(TEGULA_BAD_USE, "did you mean 'vulkan'", tegula_device_adopt(&native, &device));
}

int main(void) {
  Program program = {0};
  open_device(&program);
  Memory from = make_memory(&program), to = make_memory(&program), last = make_memory(&program);
  for (int i = 0; i < N; ++i)
    from.mapped[1024 + i] = (float)i;

  tegula_native_device native = TEGULA_NATIVE_DEVICE_INIT;
  native.backend = "vulkan";
  native.instance = program.instance;
  native.physical_device = program.physical;
  native.device = program.device;
  native.queue = program.queue;
  native.queue_family = program.family;
  native.version = VK_API_VERSION_1_2;
  native.features = &program.features;
  native.lock = lock;
  native.unlock = unlock;
  native.user = &program;
  refusals(native);
  tegula_device *device;
  tegula_stream *stream;
  tegula_kernel *kernel;
  OK(tegula_device_adopt(&native, &device));
  OK(tegula_stream_wrap(device, program.queue, &stream));
  OK(tegula_kernel_load_source(kScale, NULL, "scale.py", NULL, &kernel));
  tegula_buffer *x = wrap(device, &from, 4096), *out = wrap(device, &to, 0);

  /* The kernel, then the program's copy, in order on one queue without a wait between. */
  launch(kernel, stream, x, out, 3.0);
  CHECK(program.locks > 0 && program.locks == program.unlocks);
  copy(&program, &to, &last);
  for (int i = 0; i < N; ++i)
    CHECK(last.mapped[i] == 3.0f * (float)i);

  /* Tegula's own memory beside the program's, and Tegula's copies of the program's. */
  const int64_t shape[1] = {N};
  tegula_buffer *own;
  float host[N];
  OK(tegula_buffer_create(device, TEGULA_F32, 1, shape, &own));
  launch(kernel, stream, out, own, 0.5);
  OK(tegula_stream_copy(stream, out, own));
  OK(tegula_stream_read(stream, out, host));
  for (int i = 0; i < N; ++i)
    CHECK(host[i] == 1.5f * (float)i);
  OK(tegula_stream_write(stream, x, host));
  OK(tegula_stream_fill(stream, out, 0));
  OK(tegula_stream_synchronize(stream));
  for (int i = 0; i < N; ++i)
    CHECK(to.mapped[i] == 0 && from.mapped[1024 + i] == host[i]);

  tegula_buffer_release(own);
  tegula_buffer_release(x);
  tegula_buffer_release(out);
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
  for (Memory *m = &from; m; m = m == &from ? &to : m == &to ? &last : NULL)
    release_memory(&program, m);
  vkDestroyDevice(program.device, NULL); /* still the program's, and valid */
  vkDestroyInstance(program.instance, NULL);
  printf("a device, a queue and memory of the program's: all hold\n");
  return 0;
}

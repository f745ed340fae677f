#include "tests/cuda/PtxTexts.h"

namespace tegula::test {
namespace {

std::string header(const std::string &target) { return ".version 8.0\n.target " + target + "\n.address_size 64\n\n"; }

} // namespace

std::string vectorAddText(const std::string &target) {
  return header(target) + R"(.visible .entry add(
  .param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %a<8>;
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p0, %r4, %r0;
  @%p0 bra DONE;
  ld.param.u64 %a0, [x];
  ld.param.u64 %a1, [y];
  ld.param.u64 %a2, [z];
  mul.wide.s32 %a3, %r4, 4;
  add.s64 %a4, %a0, %a3;
  add.s64 %a5, %a1, %a3;
  add.s64 %a6, %a2, %a3;
  ld.global.f32 %f0, [%a4];
  ld.global.f32 %f1, [%a5];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%a6], %f2;
DONE:
  ret;
}
)";
}

std::string copyBoxText() {
  return header("sm_90a") + R"(.visible .entry copy_box(
  .param .align 64 .b8 desc[128], .param .u64 out, .param .u32 row, .param .u32 column)
{
  .reg .pred %p<3>;
  .reg .b16 %h<1>;
  .reg .b32 %r<12>;
  .reg .b64 %a<6>;
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b64 arrived;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, tile;
  mov.u32 %r2, arrived;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra READY;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 %a0, [%r2], 4096;
  mov.b64 %a1, desc;
  cvta.param.u64 %a1, %a1;
  ld.param.u32 %r3, [row];
  ld.param.u32 %r4, [column];
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%a1, {%r4, %r3}], [%r2];
READY:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
  @!%p1 bra WAIT;
  ld.param.u64 %a2, [out];
  mov.u32 %r5, %r0;
EACH:
  shl.b32 %r6, %r5, 1;
  shr.u32 %r7, %r6, 3;
  and.b32 %r7, %r7, 112;
  xor.b32 %r8, %r6, %r7;
  add.u32 %r8, %r8, %r1;
  ld.shared.b16 %h0, [%r8];
  cvt.u64.u32 %a3, %r6;
  add.u64 %a4, %a2, %a3;
  st.global.b16 [%a4], %h0;
  add.u32 %r5, %r5, 128;
  setp.lt.u32 %p2, %r5, 2048;
  @%p2 bra EACH;
  ret;
}
)";
}

std::string clusterText() {
  return header("sm_90a") + R"(.visible .entry clusters(.param .u64 out)
{
  .reg .pred %p<1>;
  .reg .b32 %r<5>;
  .reg .b64 %a<3>;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra DONE;
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %cluster_nctarank;
  mad.lo.u32 %r3, %r2, 100, %r1;
  mov.u32 %r4, %ctaid.x;
  ld.param.u64 %a0, [out];
  mul.wide.u32 %a1, %r4, 4;
  add.u64 %a2, %a0, %a1;
  st.global.u32 [%a2], %r3;
DONE:
  ret;
}
)";
}

std::string sharedText() {
  return header("sm_80") + R"(.extern .shared .align 16 .b8 memory[];
.visible .entry shared(.param .u64 out, .param .u32 words)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %a<3>;
  ld.param.u32 %r0, [words];
  mov.u32 %r1, memory;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %r2;
FILL:
  setp.ge.u32 %p0, %r3, %r0;
  @%p0 bra FILLED;
  mad.lo.u32 %r4, %r3, 4, %r1;
  mul.lo.u32 %r5, %r3, 7;
  st.shared.u32 [%r4], %r5;
  add.u32 %r3, %r3, 128;
  bra FILL;
FILLED:
  bar.sync 0;
  ld.param.u64 %a0, [out];
  mov.u32 %r3, %r2;
READ:
  setp.ge.u32 %p1, %r3, %r0;
  @%p1 bra DONE;
  sub.u32 %r6, %r0, 1;
  sub.u32 %r6, %r6, %r3;
  mad.lo.u32 %r7, %r6, 4, %r1;
  ld.shared.u32 %r8, [%r7];
  mul.wide.u32 %a1, %r3, 4;
  add.u64 %a2, %a0, %a1;
  st.global.u32 [%a2], %r8;
  add.u32 %r3, %r3, 128;
  bra READ;
DONE:
  ret;
}
)";
}

std::string gridText() {
  return header("sm_80") + R"(.visible .entry count(
  .param .u64 out, .param .u32 bx, .param .u32 by, .param .u32 bz, .param .u32 gx, .param .u32 gy, .param .u32 gz)
{
  .reg .pred %p<1>;
  .reg .b32 %r<12>;
  .reg .b64 %a<8>;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra DONE;
  ld.param.u32 %r1, [bx];
  ld.param.u32 %r2, [by];
  ld.param.u32 %r3, [bz];
  ld.param.u32 %r4, [gx];
  ld.param.u32 %r5, [gy];
  mov.u32 %r6, %ctaid.x;
  mov.u32 %r7, %ctaid.y;
  mov.u32 %r8, %ctaid.z;
  add.u32 %r6, %r6, %r1;
  add.u32 %r7, %r7, %r2;
  add.u32 %r8, %r8, %r3;
  mad.lo.u32 %r9, %r8, %r5, %r7;
  mul.wide.u32 %a0, %r9, %r4;
  cvt.u64.u32 %a1, %r6;
  add.u64 %a0, %a0, %a1;
  ld.param.u64 %a2, [out];
  mov.u64 %a3, 1;
  atom.global.add.u64 %a4, [%a2], %a3;
  atom.global.add.u64 %a5, [%a2+8], %a0;
DONE:
  ret;
}
)";
}

std::string faultText() {
  return header("sm_80") + R"(.visible .entry fault(.param .u64 out)
{
  .reg .b64 %a<1>;
  .reg .b32 %r<1>;
  mov.u64 %a0, 8;
  mov.u32 %r0, 1;
  st.global.u32 [%a0], %r0;
  ret;
}
)";
}

std::string serializedText() {
  return header("sm_90a") + R"(.visible .entry slow(.param .u64 out)
{
  .reg .pred %p<1>;
  .reg .f32 %f<4>;
  .reg .b64 %a<3>;
  ld.param.u64 %a0, [out];
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, %f0;
  mov.f32 %f2, %f0;
  mov.f32 %f3, %f0;
  mov.u64 %a1, 1;
  mov.u64 %a2, 2;
AGAIN:
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a1, %a2, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  ld.global.f32 %f1, [%a0+32];
  setp.gt.f32 %p0, %f1, 0f3f000000;
  @%p0 bra AGAIN;
  wgmma.wait_group.sync.aligned 0;
  st.global.f32 [%a0], %f0;
  st.global.f32 [%a0+4], %f1;
  st.global.f32 [%a0+8], %f2;
  st.global.f32 [%a0+12], %f3;
  ret;
}
)";
}

} // namespace tegula::test

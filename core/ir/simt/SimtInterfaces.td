// Interfaces through which passes, verifiers and printers handle ops that they do not know by name: ops of a backend's
// own dialect can implement them, too.
#ifndef TEGULA_SIMT_INTERFACES
#define TEGULA_SIMT_INTERFACES

include "mlir/IR/OpBase.td"

def Simt_Collective : OpInterface<"Collective"> {
  let cppNamespace = "::tegula::simt";
  let description = "An op that all threads of several warps execute together: all of them must reach it.";
  let methods = [
    InterfaceMethod<"How many warps, as an aligned set; 0 stands for all warps of the region.", "int64_t",
                    "getCollectiveWarps">,
  ];
}

def Simt_AsyncCopy : OpInterface<"AsyncCopy"> {
  let cppNamespace = "::tegula::simt";
  let description = "Starts a copy between global and shared memory that ends later.";
  let methods = [
    InterfaceMethod<"The shared side.", "::mlir::Value", "getSharedSide">,
    InterfaceMethod<"Whether the copy writes shared memory (else it reads it).", "bool", "writesShared">,
    InterfaceMethod<"The barrier objects on which it completes; none where a group of the thread's copies does.",
                    "::mlir::Value", "getCompletionBarriers">,
  ];
}

def Simt_AsyncMatmul : OpInterface<"AsyncMatmul"> {
  let cppNamespace = "::tegula::simt";
  let description = "Starts a matrix product whose accumulator may not be touched before a wait has returned it.";
  let methods = [
    InterfaceMethod<"The accumulator that goes in.", "::mlir::Value", "getAccumulatorIn">,
    InterfaceMethod<"The accumulator in flight.", "::mlir::Value", "getAccumulatorOut">,
  ];
}

def Simt_BarrierLike : OpInterface<"BarrierLike"> {
  let cppNamespace = "::tegula::simt";
  let description = "Makes this thread wait for other threads, or lets waiting threads go on.";
  let methods = [
    InterfaceMethod<"Whether a thread may stop here.", "bool", "mayBlock">,
  ];
}

#endif

/* Part of Tegula's C interface: versions, statuses and messages, element types and values. Programs include tegula.h,
 * which states the rules. */
#ifndef TEGULA_TYPES_H
#define TEGULA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEGULA_EXPORT __attribute__((visibility("default")))
#else
#define TEGULA_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---------------------------------------------------------------------------------------------------- */

/* The version of this header. A library whose own header has version L serves programs that were compiled with a header
 * of a version from TEGULA_ABI_OLDEST to L. */
#define TEGULA_ABI_VERSION 1
#define TEGULA_ABI_OLDEST 1

/* ---- Statuses --------------------------------------------------------------------------------------------------- */

/* What a function returns. docs/c-api.md, "Statuses and messages", says what a program can do about each status, and
 * docs/c-api.md, "After a failure", what is usable then. */
typedef int32_t tegula_status;
enum {
  TEGULA_OK = 0,
  TEGULA_BAD_USE = 1,          /* a wrong argument, type, name or file */
  TEGULA_BAD_KERNEL = 2,       /* the kernel does not compile */
  TEGULA_KERNEL_FAULT = 3,     /* the kernel failed while it ran */
  TEGULA_DEVICE_ERROR = 4,     /* the device or its driver failed, is out of memory, or cannot do what was asked for */
  TEGULA_INTERNAL = 5,         /* a defect of Tegula */
  TEGULA_OUT_OF_RESOURCES = 6, /* the kernel needs more of a resource than its target or device has */
  TEGULA_INTERRUPTED = 7       /* the function of tegula_set_interruption ended the launch */
};

/* ---- The library's version -------------------------------------------------------------------------------------- */

/* Fails with TEGULA_BAD_USE if the library does not serve programs that were compiled with header version `version`.
 * Call it before all other functions, with TEGULA_ABI_VERSION. */
TEGULA_EXPORT tegula_status tegula_require(uint32_t version);
/* The version of the library's own header. */
TEGULA_EXPORT uint32_t tegula_abi_version(void);
/* The version of the library, such as "0.1.0". */
TEGULA_EXPORT const char *tegula_version(void);

/* ---- Messages of failed calls ----------------------------------------------------------------------------------- */

/* The message of the calling thread's last failed call; "" if no call has failed. It is valid until the thread's next
 * failing call. It has no line end, and if its location is known, begins with `FILE:LINE:COLUMN: error: `. */
TEGULA_EXPORT const char *tegula_last_error(void);

/* The location of the last error in a kernel's file. If the location is unknown, `file` is "" and the numbers are 0.
 * A failure of the function itself replaces the message. */
typedef struct tegula_error_place {
  size_t struct_size;
  const char *file;    /* valid as long as the message */
  const char *message; /* one sentence, without location, source line and notes */
  uint32_t line, column;
} tegula_error_place;
#define TEGULA_ERROR_PLACE_INIT {sizeof(tegula_error_place), NULL, NULL, 0, 0}
TEGULA_EXPORT tegula_status tegula_last_error_place(tegula_error_place *place);

/* The resource of which the kernel needs too much. If the last error is not TEGULA_OUT_OF_RESOURCES, `resource` is ""
 * and the numbers are 0. A failure of the function itself replaces the message. */
typedef struct tegula_error_shortage {
  size_t struct_size;
  /* "shared memory": in bytes, of a program; "threads": of a program; "registers": of a thread. Valid as long as the
   * message. */
  const char *resource;
  uint64_t required, limit; /* 0: unknown */
} tegula_error_shortage;
#define TEGULA_ERROR_SHORTAGE_INIT {sizeof(tegula_error_shortage), NULL, 0, 0}
TEGULA_EXPORT tegula_status tegula_last_error_shortage(tegula_error_shortage *shortage);

/* ---- Compilation in this process -------------------------------------------------------------------------------- */

typedef int32_t tegula_severity;
enum {
  TEGULA_WARNING = 1, /* a warning of the compiler */
  TEGULA_OUTPUT = 2   /* text of static_print, with its line end */
};
typedef void (*tegula_diagnostic_callback)(void *user, tegula_severity severity, const char *text);
/* Passes the compiler's messages, of the whole process, to `callback`; by default they go to standard error and
 * standard output, and NULL restores that. The callback runs in the thread that compiles, and must not call this
 * library. */
TEGULA_EXPORT tegula_status tegula_set_diagnostics(tegula_diagnostic_callback callback, void *user);

/* Allows (1) or forbids (0) compilation in this process. If it is forbidden, only code in bundles runs: loading a
 * kernel from source, or launching one without code for the device, fails with TEGULA_BAD_USE. Useful to test a program
 * that ships bundles. Setting $TEGULA_NO_COMPILER has the same effect as 0. */
TEGULA_EXPORT tegula_status tegula_allow_compiler(int32_t allowed);

/* ---- Interruption ----------------------------------------------------------------------------------------------- */

typedef int32_t (*tegula_interruption_callback)(void *user);
/* Sets a function that can end launches on the CPU. Such a launch runs in the calling thread until the kernel has
 * ended; during that time the thread calls `is_interrupted` about 20 times a second. If it returns a value other than
 * 0, the launch fails with TEGULA_INTERRUPTED, and arrays may be partly written. The function applies to the whole
 * process. It may run in several threads at once; it must not call this library, throw or jump. NULL removes it;
 * launches that are running may still call the previous function. */
TEGULA_EXPORT tegula_status tegula_set_interruption(tegula_interruption_callback is_interrupted, void *user);

/* ---- Element types and values ----------------------------------------------------------------------------------- */

typedef int32_t tegula_dtype;
enum {
  TEGULA_I1,
  TEGULA_I8,
  TEGULA_I16,
  TEGULA_I32,
  TEGULA_I64,
  TEGULA_U8,
  TEGULA_U16,
  TEGULA_U32,
  TEGULA_U64,
  TEGULA_F16,
  TEGULA_BF16,
  TEGULA_F32,
  TEGULA_F64,
  TEGULA_F8E4M3,
  TEGULA_F8E5M2,
  TEGULA_F8E4M3FNUZ,
  TEGULA_F8E5M2FNUZ
};
/* Parses a type's name; accepts Tegula's and Triton's names: "f32", "fp32", "fp8e4nv". */
TEGULA_EXPORT tegula_status tegula_dtype_parse(const char *text, tegula_dtype *out);
/* Tegula's name of a type, such as "f32"; NULL if the number is no type. */
TEGULA_EXPORT const char *tegula_dtype_name(tegula_dtype type);
/* The bytes of one element (1 for i1); 0 if the number is no type. */
TEGULA_EXPORT size_t tegula_dtype_bytes(tegula_dtype type);

typedef int32_t tegula_value_kind;
enum {
  TEGULA_NONE,
  TEGULA_BOOL,    /* as.integer: 0 or 1 */
  TEGULA_INTEGER, /* as.integer, 64 bits, signed */
  TEGULA_REAL,    /* as.real, a double */
  TEGULA_TEXT,    /* as.text, UTF-8, zero-terminated */
  TEGULA_DTYPE    /* as.dtype, an element type */
};
/* The value of a constexpr parameter. */
typedef struct tegula_value {
  tegula_value_kind kind;
  union {
    int64_t integer;
    double real;
    const char *text;
    tegula_dtype dtype;
  } as;
} tegula_value;
/* The name and the value of a constexpr parameter or of an option. */
typedef struct tegula_constant {
  const char *name;
  tegula_value value;
} tegula_constant;

#ifdef __cplusplus
}
#endif

#endif

// A decoded instruction. The decoder makes it once, from the text that LLVM's disassembler prints; a wave executes it
// many times.
#pragma once

#include "tests/emulator/Dependencies.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tegula::emulator {

/// Generations whose instructions behave differently. Gfx9: gfx90a and gfx942, 64 lanes. Others: 32 lanes.
enum class Family : uint8_t { Gfx9, Gfx10, Gfx11, Gfx12 };

/// A register, a constant or nothing. Scalar registers and the special ones share one numbering (Wave::scalars).
struct Operand {
  enum class Kind : uint8_t {
    None,
    Scalar,      // `words` scalar registers from `index`
    Vector,      // `words` vector registers from `index`
    Accumulator, // the same of the accumulation registers of gfx90a and gfx942
    Integer,     // `bits`, extended with its sign to 64 bits
    Real,        // the float `real`, in the format that the instruction reads
    Literal,     // 32 bits in `bits`: those of an integer or a float; of a 64-bit float the upper half
    Off,         // "off": an address has no such part
  };
  /// The part of a 32-bit word that SDWA instructions read or write.
  enum class Part : uint8_t { Word, Byte0, Byte1, Byte2, Byte3, Half0, Half1 };

  Kind kind = Kind::None;
  uint8_t words = 1;
  uint16_t index = 0;
  bool negate = false, absolute = false; // applied by reads of floats: -|x|
  bool upper = false;                    // op_sel: the upper 16 bits of the word
  Part part = Part::Word;
  bool extends = false; // SDWA "sext": the part is extended with its sign
  int64_t bits = 0;
  double real = 0;

  bool isRegister() const { return kind == Kind::Scalar || kind == Kind::Vector || kind == Kind::Accumulator; }
  bool isConstant() const { return kind == Kind::Integer || kind == Kind::Real || kind == Kind::Literal; }
};

/// Numbers of special scalar registers; on all families VCC is at 106, EXEC at 126.
inline constexpr uint16_t kVcc = 106, kM0 = 124, kExec = 126, kNull = 128, kScc = 129, kTtmp0 = 130, kScalars = 160;
/// Base and limit of the apertures, two words each.
inline constexpr uint16_t kShared = 146, kPrivate = 150;
/// A vector register's number: the first source of a DPP instruction, from the lane that it reads (Wave::moved).
inline constexpr uint16_t kMoved = 0xffff;

/// Data parallel primitives: lanes of the first source are moved before the operation. Names as in the assembler.
struct DataParallel {
  enum class Kind : uint8_t {
    None,
    QuadPerm, // lane i reads lane i & ~3 | (control >> 2 * (i & 3) & 3)
    RowShl,   // in rows of 16 lanes: lane i reads i + control
    RowShr,   // lane i reads i - control
    RowRor,   // rotated to the right by control
    WaveShl,  // by one lane; of gfx9
    WaveRol,
    WaveShr,
    WaveRor,
    RowMirror,     // 15 - i
    RowHalfMirror, // 7 - i in half rows
    RowBcast15,    // the last lane of a row to the next row; of gfx9
    RowBcast31,
    RowShare,    // all lanes of a row read lane `control` of it; from gfx10 on
    RowXmask,    // lane i reads i ^ control; from gfx10 on
    Dpp8,        // lane i of eight reads lane control >> 3 * i & 7
    RowNewbcast, // as RowShare; gfx90a and gfx942
  };
  Kind kind = Kind::None;
  uint32_t control = 0;
  uint8_t rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false;     // lanes beyond the row read zero; otherwise the lane is not written
  bool fetchInactive = false; // lanes outside of EXEC are read as they are
};

/// What an instruction is counted as. Hints are waits, delays and the like, which no unit executes.
enum class Class : uint8_t { Scalar, Vector, Matrix, Global, Lds, Branch, Hint };
inline constexpr size_t kClasses = 7;

struct Wave;
struct Instruction;
using Handler = void (*)(Wave &, const Instruction &);

struct Instruction {
  Handler handler = nullptr;
  Class counted = Class::Hint;
  uint64_t offset = 0; // of the code, in bytes, from the beginning of the kernel's section
  uint32_t size = 0;   // bytes
  std::string name;    // as printed, without suffixes of encodings (_e32, _e64, _dpp, _dpp8, _sdwa, e64_dpp)
  std::string text;    // as printed, for messages
  /// Destinations and sources in the printed order. A destination comes first where the instruction has one.
  std::vector<Operand> operands;
  /// Modifiers with a number, such as `offset:16`, `offset0:1`, and `instruction's own` such as `cbsz:1`; missing: 0.
  int64_t immediate = 0;             // `offset:`, or the plain number of s_waitcnt, s_nop, branches' targets (bytes)
  int64_t offset0 = 0, offset1 = 0;  // of ds_read2 and the like
  uint8_t byteSel = 0;               // the byte of a source that holds an 8-bit float
  uint8_t opSel = 0, opSelHi = 0xff; // a bit for each source (bit 3: the destination); packed instructions
  bool hasOpSelHi = false;           // op_sel_hi is printed; of v_fma_mix it is zero where it is not
  uint8_t negLo = 0, negHi = 0;      // packed instructions
  bool clamp = false;
  bool returns = false; // glc, sc0 or th:TH_ATOMIC_..RETURN of an atomic: the old value is wanted
  bool glc = false, idxen = false, offen = false, lds = false;
  bool isVop3 = false;                     // has the suffix _e64
  bool isFlat = false;                     // flat_*: the address may be one of LDS or of private memory
  std::string hardwareRegister;            // of s_getreg and s_setreg: "HW_REG_MODE"
  uint8_t fieldOffset = 0, fieldBits = 32; // the bits of it
  DataParallel dpp;
  bool sdwa = false;
  bool unusedPreserve = false, unusedSext = false; // SDWA dst_unused
  std::array<uint32_t, 4> codes = {};              // the numbers of cbsz, abid, blgp
  bool writesExec = false;                         // v_cmpx
  bool keepsUpper = false;                         // gfx9: a 16-bit result leaves the register's upper half
  size_t sourceFirst = 1;                          // index of the first source in `operands`
  bool readsScc = false;                           // has src_scc as an operand
  bool pairs = false;                              // reads its sources together with the next one, before either writes
  Dependencies depends;                            // of a pair, those of both are the first one's
};

} // namespace tegula::emulator

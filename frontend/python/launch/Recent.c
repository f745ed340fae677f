/* The launches that a program made last, by the words of their keys: most launches repeat one of them, and are found
 * without an object for the key. Each key has one place, given by its hash; a newer one takes it. */
#include "Launch.h"

#include <stdlib.h>
#include <string.h>

/* Mixes the words to a place. Keys with equal places are told apart by their words. */
static uint32_t placeOf(const uint64_t *words, size_t count) {
  uint64_t mixed = count;
  for (size_t i = 0; i < count; ++i)
    mixed = (mixed << 9 | mixed >> 55) ^ words[i];
  return (uint32_t)(mixed * 0x9e3779b97f4a7c15u >> 32) % kRecentCount;
}

PyObject *findRecent(const Recent *recent, const uint64_t *words, size_t count) {
  const Recent *entry = &recent[placeOf(words, count)];
  bool found = entry->count == count && memcmp(entry->words, words, count * sizeof(*words)) == 0;
  return found ? entry->prepared : NULL;
}

static void dropRecent(Recent *entry) {
  PyObject *prepared = entry->prepared;
  free(entry->words);
  memset(entry, 0, sizeof(*entry));
  Py_XDECREF(prepared);
}

void keepRecent(Recent *recent, const uint64_t *words, size_t count, PyObject *prepared) {
  uint64_t *copy = malloc(count * sizeof(*words));
  if (!copy)
    return; /* the next launch looks it up again */
  memcpy(copy, words, count * sizeof(*words));
  Recent *entry = &recent[placeOf(words, count)];
  dropRecent(entry);
  *entry = (Recent){copy, count, Py_NewRef(prepared)};
}

void clearRecent(Recent *recent) {
  for (size_t i = 0; i < kRecentCount; ++i)
    dropRecent(&recent[i]);
}

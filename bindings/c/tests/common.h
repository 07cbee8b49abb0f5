// What the test programs share: they stop with a line that says where, and never exit with 0 then.
#ifndef COMMON_H
#define COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reckoning.h"

#define DEMAND(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define OK(call)                                                               \
  do {                                                                         \
    ReckResult result_ = (call);                                               \
    if (result_.status != RECK_STATUS_OK) {                                    \
      char words_[200];                                                        \
      reck_result_message((int)result_.status, (int)result_.field, result_.value, words_, sizeof words_); \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, words_);   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

// A call that must be refused with this status, about this field.
#define REFUSED(call, expected, about)                                         \
  do {                                                                         \
    ReckResult result_ = (call);                                               \
    if (result_.status != (expected) || result_.field != (about)) {            \
      fprintf(stderr, "%s:%d: %s: status %d, field %d\n", __FILE__, __LINE__, #call, \
              (int)result_.status, (int)result_.field);                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#endif

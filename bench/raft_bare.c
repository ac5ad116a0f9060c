// SPDX-License-Identifier: Apache-2.0
#include "raft_bare.h"

#include <errno.h>
#include <fcntl.h>
#include <raft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kZeroBlock = 1 << 20, kEntryHeader = 16 };
static const uint64_t kFileBytes = (uint64_t)64 << 20;

static uint64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bench_now_ns(void) { return read_clock(CLOCK_MONOTONIC); }
uint64_t bench_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

int bench_zeroed_file(const char* path, uint64_t bytes) {
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  char* zeros = calloc(1, kZeroBlock);
  if (fd < 0 || zeros == NULL) goto fail;
  for (uint64_t at = 0; at < bytes; at += kZeroBlock)
    if (pwrite(fd, zeros, kZeroBlock, (off_t)at) != kZeroBlock) goto fail;
  if (fsync(fd) != 0) goto fail;
  free(zeros);
  return fd;
fail:
  free(zeros);
  if (fd >= 0) close(fd);
  return -1;
}

struct bare {
  struct raft raft;
  raft_index last;
  struct raft_entry* entries;  // all of one batch, in `bytes`
  char* bytes;
  char* record;
  size_t record_bytes;
  int fd;
  uint64_t at;
};

static int step(struct bare* bare, struct raft_event* event, struct raft_update* update) {
  event->time = bench_now_ns() / 1000000u;
  memset(update, 0, sizeof *update);
  return raft_step(&bare->raft, event, update);
}

// Leads at once: it is the only voter.
static int start(struct bare* bare) {
  struct raft_configuration configuration;
  struct raft_entry first = {.term = 1, .type = RAFT_CHANGE};
  raft_configuration_init(&configuration);
  int rv = raft_configuration_add(&configuration, 1, "1", RAFT_VOTER);
  if (rv == 0) rv = raft_configuration_encode(&configuration, &first.buf);
  raft_configuration_close(&configuration);
  if (rv != 0) return rv;
  first.batch = first.buf.base;

  struct raft_event event = {.type = RAFT_START};
  event.start.term = 1;
  event.start.voted_for = 1;
  event.start.start_index = 1;
  event.start.entries = &first;
  event.start.n_entries = 1;
  struct raft_update update;
  rv = step(bare, &event, &update);
  raft_free(first.buf.base);
  bare->last = 1;
  if (rv != 0) return rv;
  return raft_state(&bare->raft) == RAFT_LEADER ? 0 : RAFT_NOTLEADER;
}

static int write_record(struct bare* bare, const struct raft_update* update) {
  size_t used = 0;
  for (unsigned i = 0; i < update->entries.n; ++i) {
    const struct raft_entry* entry = &update->entries.batch[i];
    memcpy(bare->record + used, &entry->term, sizeof entry->term);
    memcpy(bare->record + used + 8, &entry->buf.len, sizeof entry->buf.len);
    memcpy(bare->record + used + kEntryHeader, entry->buf.base, entry->buf.len);
    used += kEntryHeader + entry->buf.len;
  }
  if (bare->at + used > kFileBytes) bare->at = 0;
  if (pwrite(bare->fd, bare->record, used, (off_t)bare->at) != (ssize_t)used) return RAFT_IOERR;
  bare->at += used;
  return fdatasync(bare->fd) == 0 ? 0 : RAFT_IOERR;
}

static int commit_batch(struct bare* bare, unsigned n) {
  struct raft_update update;
  struct raft_event event = {.type = RAFT_SUBMIT};
  for (unsigned i = 0; i < n; ++i) bare->entries[i].term = raft_current_term(&bare->raft);
  event.submit.entries = bare->entries;
  event.submit.n = n;
  int rv = step(bare, &event, &update);
  if (rv != 0) return rv;
  if (!(update.flags & (RAFT_UPDATE_ENTRIES)) || update.entries.n != n) return RAFT_INVALID;
  rv = write_record(bare, &update);
  if (rv != 0) return rv;

  bare->last += n;
  memset(&event, 0, sizeof event);
  event.type = RAFT_PERSISTED_ENTRIES;
  event.persisted_entries.index = bare->last;
  rv = step(bare, &event, &update);
  if (rv != 0) return rv;
  return raft_commit_index(&bare->raft) == bare->last ? 0 : RAFT_INVALID;
}

static int prepare(struct bare* bare, const struct bench_load* load) {
  bare->entries = calloc(load->in_flight, sizeof *bare->entries);
  bare->bytes = malloc((size_t)load->in_flight * load->entry_bytes);
  bare->record = malloc((size_t)load->in_flight * (kEntryHeader + load->entry_bytes));
  if (bare->entries == NULL || bare->bytes == NULL || bare->record == NULL) return RAFT_NOMEM;
  memset(bare->bytes, 'x', (size_t)load->in_flight * load->entry_bytes);
  for (unsigned i = 0; i < load->in_flight; ++i) {
    struct raft_entry* entry = &bare->entries[i];
    entry->type = RAFT_COMMAND;
    entry->buf.base = bare->bytes + (size_t)i * load->entry_bytes;
    entry->buf.len = load->entry_bytes;
    entry->batch = bare->bytes;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/record", load->folder);
  bare->fd = bench_zeroed_file(path, kFileBytes);
  return bare->fd < 0 ? RAFT_IOERR : 0;
}

static int measure(struct bare* bare, const struct bench_load* load, struct bench_outcome* out) {
  const uint64_t begin = bench_now_ns() + (uint64_t)(load->warm_up_seconds * 1e9);
  const uint64_t end = begin + (uint64_t)(load->seconds * 1e9);
  uint64_t before = bench_now_ns();
  uint64_t first = 0;
  uint64_t first_cpu = 0;
  while (before < end) {
    const int rv = commit_batch(bare, load->in_flight);
    if (rv != 0) return rv;
    const uint64_t after = bench_now_ns();
    if (before >= begin) {
      if (first == 0) {
        first = before;
        first_cpu = bench_cpu_ns();
      }
      load->on_latency(load->context, after - before);
      out->entries += load->in_flight;
      out->seconds = (double)(after - first) / 1e9;
    }
    before = after;
  }
  out->cpu_seconds = (double)(bench_cpu_ns() - first_cpu) / 1e9;
  return 0;
}

struct bench_outcome raft_bare_run(const struct bench_load* load) {
  struct bench_outcome out = {0};
  struct bare bare;
  memset(&bare, 0, sizeof bare);
  bare.fd = -1;
  int rv = raft_init(&bare.raft, NULL, NULL, 1, "1");
  if (rv == 0) {
    bare.raft.tracer = NULL;
    raft_seed(&bare.raft, 1);
    rv = prepare(&bare, load);
    if (rv == 0) rv = start(&bare);
    if (rv == 0) rv = measure(&bare, load, &out);
    raft_close(&bare.raft, NULL);
  }
  if (rv != 0) snprintf(out.error, sizeof out.error, "%s (%s)", raft_strerror(rv), strerror(errno));
  if (bare.fd >= 0) close(bare.fd);
  free(bare.entries);
  free(bare.bytes);
  free(bare.record);
  return out;
}

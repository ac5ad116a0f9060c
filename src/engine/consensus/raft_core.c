/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/consensus/raft_core.h"

#include <raft.h>
#include <stdlib.h>
#include <string.h>

#define PAWL_OLDEST_LIBRAFT 2201
#if !defined(RAFT_VERSION_NUMBER) || RAFT_VERSION_NUMBER < PAWL_OLDEST_LIBRAFT
#error "Pawl needs libraft 0.22.1 or newer of the cowsql line (Debian 13, or Debian 12 backports)"
#endif

struct PawlRaft {
  struct raft raft;
  struct raft_update update;
  struct raft_entry* scratch; /* one step's entries, kept to be used again */
  uint32_t scratch_size;
};

/* Addresses are ours to know; libraft wants a string. */
static const char* const kNoAddress = "";

PawlRaft* pawl_raft_new(const PawlRaftOptions* options) {
  PawlRaft* self;
  struct raft* r;
  self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  r = &self->raft;
  if (raft_init(r, NULL, NULL, options->id, kNoAddress) != 0) {
    free(self);
    return NULL;
  }
  /* The default one formats a text into a static buffer at every step. */
  r->tracer = NULL;
  raft_seed(r, options->seed);
  raft_set_heartbeat_timeout(r, options->heartbeat_ms);
  raft_set_election_timeout(r, options->election_timeout_ms);
  raft_set_install_snapshot_timeout(r, options->install_snapshot_timeout_ms);
  raft_set_max_catch_up_round_duration(r, options->catch_up_round_ms);
  raft_set_max_inflight_entries(r, options->max_inflight_entries);
  raft_set_pre_vote(r, true);
  return self;
}

void pawl_raft_free(PawlRaft* self) {
  if (self == NULL) return;
  raft_close(&self->raft, NULL);
  free(self->scratch);
  free(self);
}

/* Fills the scratch array. Every entry gets `batch`, which libraft asks for and never reads. */
static bool fill_scratch(PawlRaft* self, const PawlRaftEntry* entries, uint32_t count,
                         void* batch) {
  uint32_t i;
  if (count > self->scratch_size) {
    struct raft_entry* grown = realloc(self->scratch, count * sizeof *grown);
    if (grown == NULL) return false;
    self->scratch = grown;
    self->scratch_size = count;
  }
  for (i = 0; i < count; i++) {
    struct raft_entry* to = &self->scratch[i];
    to->term = entries[i].term;
    to->type = (enum raft_entry_type)entries[i].kind;
    to->batch = batch;
    to->buf.base = batch;
    to->buf.len = 8;
    if (entries[i].kind == PAWL_RAFT_CHANGE) {
      to->buf.base = (void*)(uintptr_t)entries[i].membership.data;
      to->buf.len = entries[i].membership.size;
    }
  }
  return true;
}

static bool decode(PawlRaftBytes bytes, struct raft_configuration* to) {
  const struct raft_buffer buffer = {(void*)(uintptr_t)bytes.data, bytes.size};
  return raft_configuration_decode(&buffer, to) == 0;
}

static bool fill_metadata(const PawlRaftMark* mark, struct raft_snapshot_metadata* to) {
  to->index = mark->index;
  to->term = mark->term;
  to->configuration_index = mark->membership_index;
  return decode(mark->membership, &to->configuration);
}

static int step(PawlRaft* self, uint64_t now, struct raft_event* event, PawlRaftUpdate* update) {
  struct raft_update* asked = &self->update;
  int rv;
  event->time = now;
  event->capacity = 0;
  memset(update, 0, sizeof *update);
  memset(asked, 0, sizeof *asked);
  rv = raft_step(&self->raft, event, asked);
  if (rv != 0) return rv;
  update->term_or_vote = (asked->flags & (RAFT_UPDATE_CURRENT_TERM)) != 0 ||
                         (asked->flags & (RAFT_UPDATE_VOTED_FOR)) != 0;
  update->role_changed = (asked->flags & (RAFT_UPDATE_STATE)) != 0;
  update->install = (asked->flags & (RAFT_UPDATE_SNAPSHOT)) != 0;
  if ((asked->flags & (RAFT_UPDATE_ENTRIES)) != 0) {
    update->first = asked->entries.index;
    update->count = asked->entries.n;
    if (asked->entries.batch == &self->raft.barrier) {
      update->barrier = true;
      raft_free(self->raft.barrier.batch);
      self->raft.barrier.batch = NULL;
      self->raft.barrier.buf.base = NULL;
    }
  }
  if (update->install) raft_configuration_close(&asked->snapshot.metadata.configuration);
  if ((asked->flags & (RAFT_UPDATE_MESSAGES)) != 0) update->messages = asked->messages.n;
  return 0;
}

static PawlRaftResult sure(int rv) { return rv == 0 ? PAWL_RAFT_OK : PAWL_RAFT_BROKEN; }

PawlRaftResult pawl_raft_start(PawlRaft* self, uint64_t now, uint64_t term, uint64_t vote,
                               const PawlRaftMark* snapshot, uint64_t first,
                               const PawlRaftEntry* entries, uint32_t count,
                               PawlRaftUpdate* update) {
  struct raft_event event = {0};
  struct raft_snapshot_metadata metadata;
  void* batch = raft_malloc(8);
  int rv;
  event.type = RAFT_START;
  if (batch == NULL || !fill_scratch(self, entries, count, batch)) return PAWL_RAFT_BROKEN;
  if (snapshot != NULL) {
    if (!fill_metadata(snapshot, &metadata)) return PAWL_RAFT_BROKEN;
    event.start.metadata = &metadata;
  }
  event.start.term = term;
  event.start.voted_for = vote;
  event.start.start_index = first;
  event.start.entries = self->scratch;
  event.start.n_entries = count;
  rv = step(self, now, &event, update);
  if (rv == 0) {
    raft_free(batch);
    free(self->scratch); /* it held the whole log: never so large again */
  }
  self->scratch = NULL;
  self->scratch_size = 0;
  return sure(rv);
}

PawlRaftResult pawl_raft_submit(PawlRaft* self, uint64_t now, const PawlRaftEntry* entries,
                                uint32_t count, PawlRaftUpdate* update) {
  struct raft_event event = {0};
  uint64_t unread = 0;
  int rv;
  if (!fill_scratch(self, entries, count, &unread)) return PAWL_RAFT_BROKEN;
  event.type = RAFT_SUBMIT;
  event.submit.entries = self->scratch;
  event.submit.n = count;
  rv = step(self, now, &event, update);
  if (rv == RAFT_NOTLEADER || rv == RAFT_CANTCHANGE) return PAWL_RAFT_REFUSED;
  return sure(rv);
}

static bool fill_message(PawlRaft* self, const PawlRaftMessage* from, struct raft_message* to) {
  to->server_id = from->peer;
  to->server_address = kNoAddress;
  switch (from->type) {
    case PAWL_RAFT_APPEND_ENTRIES: {
      struct raft_append_entries* args = &to->append_entries;
      void* batch = from->count > 0 ? raft_malloc(8) : NULL;
      if (from->count > 0 && batch == NULL) return false;
      if (!fill_scratch(self, from->entries, from->count, batch)) return false;
      to->type = RAFT_APPEND_ENTRIES;
      args->term = from->term;
      args->prev_log_index = from->index;
      args->prev_log_term = from->index_term;
      args->leader_commit = from->commit;
      args->entries = self->scratch;
      args->n_entries = from->count;
      return true;
    }
    case PAWL_RAFT_APPEND_ENTRIES_RESULT:
      to->type = RAFT_APPEND_ENTRIES_RESULT;
      to->append_entries_result.version = 2;
      to->append_entries_result.term = from->term;
      to->append_entries_result.rejected = from->rejected;
      to->append_entries_result.last_log_index = from->index;
      return true;
    case PAWL_RAFT_REQUEST_VOTE:
      to->type = RAFT_REQUEST_VOTE;
      to->request_vote.version = 2;
      to->request_vote.term = from->term;
      to->request_vote.candidate_id = from->candidate;
      to->request_vote.last_log_index = from->index;
      to->request_vote.last_log_term = from->index_term;
      to->request_vote.disrupt_leader = from->disrupt_leader;
      to->request_vote.pre_vote = from->pre_vote;
      return true;
    case PAWL_RAFT_REQUEST_VOTE_RESULT:
      to->type = RAFT_REQUEST_VOTE_RESULT;
      to->request_vote_result.version = 2;
      to->request_vote_result.term = from->term;
      to->request_vote_result.vote_granted = from->granted;
      to->request_vote_result.pre_vote = from->pre_vote;
      return true;
    case PAWL_RAFT_INSTALL_SNAPSHOT:
      to->type = RAFT_INSTALL_SNAPSHOT;
      to->install_snapshot.term = from->term;
      to->install_snapshot.last_index = from->index;
      to->install_snapshot.last_term = from->index_term;
      to->install_snapshot.conf_index = from->membership_index;
      return decode(from->membership, &to->install_snapshot.conf);
    case PAWL_RAFT_TIMEOUT_NOW:
      to->type = RAFT_TIMEOUT_NOW;
      to->timeout_now.term = from->term;
      to->timeout_now.last_log_index = from->index;
      to->timeout_now.last_log_term = from->index_term;
      return true;
    case PAWL_RAFT_NO_MESSAGE:
      break;
  }
  return false;
}

static bool is_voter(const struct raft* r) {
  unsigned i;
  for (i = 0; i < r->configuration.n; i++) {
    if (r->configuration.servers[i].id == r->id) {
      return r->configuration.servers[i].role == RAFT_VOTER;
    }
  }
  return false;
}

/* Raft lets a node vote whatever its own membership says: others may count on it because of a
 * change that it has not heard of, such as the one that made it a voter. libraft asks its
 * membership, and nothing else while it handles the request; so for that long it is shown another.
 */
static int receive_as_voter(PawlRaft* self, uint64_t now, struct raft_event* event,
                            PawlRaftUpdate* update) {
  struct raft* r = &self->raft;
  const struct raft_configuration own = r->configuration;
  struct raft_server voter = {r->id, r->address, RAFT_VOTER};
  int rv;
  r->configuration.servers = &voter;
  r->configuration.n = 1;
  rv = step(self, now, event, update);
  r->configuration = own;
  return rv;
}

PawlRaftResult pawl_raft_receive(PawlRaft* self, uint64_t now, const PawlRaftMessage* message,
                                 PawlRaftUpdate* update) {
  struct raft_event event = {0};
  struct raft_message copy;
  int rv;
  memset(&copy, 0, sizeof copy);
  if (!fill_message(self, message, &copy)) return PAWL_RAFT_BROKEN;
  event.type = RAFT_RECEIVE;
  event.receive.message = &copy;
  if (copy.type == RAFT_REQUEST_VOTE && self->raft.state == RAFT_FOLLOWER &&
      !is_voter(&self->raft)) {
    rv = receive_as_voter(self, now, &event, update);
  } else {
    rv = step(self, now, &event, update);
  }
  if (message->type == PAWL_RAFT_APPEND_ENTRIES && rv == 0 && update->first != 0) {
    raft_free(copy.append_entries.entries[0].batch);
  }
  if (rv == RAFT_SHUTDOWN) return PAWL_RAFT_CONTRADICTION;
  return sure(rv);
}

PawlRaftResult pawl_raft_timeout(PawlRaft* self, uint64_t now, PawlRaftUpdate* update) {
  struct raft_event event = {0};
  struct raft* r = &self->raft;
  const bool forget = r->state == RAFT_FOLLOWER && !is_voter(r) && now >= raft_timeout(r);
  event.type = RAFT_TIMEOUT;
  /* A voter becomes a candidate now, and so forgets its leader; others would refuse votes for ever.
   */
  if (forget) {
    r->follower_state.current_leader.id = 0;
    raft_free(r->follower_state.current_leader.address);
    r->follower_state.current_leader.address = NULL;
  }
  return sure(step(self, now, &event, update));
}

PawlRaftResult pawl_raft_persisted(PawlRaft* self, uint64_t now, uint64_t index,
                                   PawlRaftUpdate* update) {
  struct raft_event event = {0};
  event.type = RAFT_PERSISTED_ENTRIES;
  event.persisted_entries.index = index;
  return sure(step(self, now, &event, update));
}

PawlRaftResult pawl_raft_snapshot_installed(PawlRaft* self, uint64_t now, const PawlRaftMark* mark,
                                            PawlRaftUpdate* update) {
  struct raft_event event = {0};
  event.type = RAFT_PERSISTED_SNAPSHOT;
  event.persisted_snapshot.last = true;
  if (!fill_metadata(mark, &event.persisted_snapshot.metadata)) return PAWL_RAFT_BROKEN;
  return sure(step(self, now, &event, update));
}

PawlRaftResult pawl_raft_snapshot_taken(PawlRaft* self, uint64_t now, const PawlRaftMark* mark,
                                        uint32_t trailing, PawlRaftUpdate* update) {
  struct raft_event event = {0};
  event.type = RAFT_SNAPSHOT;
  event.snapshot.trailing = trailing;
  if (!fill_metadata(mark, &event.snapshot.metadata)) return PAWL_RAFT_BROKEN;
  return sure(step(self, now, &event, update));
}

PawlRaftResult pawl_raft_membership_committed(PawlRaft* self, uint64_t now, uint64_t index,
                                              PawlRaftBytes membership, PawlRaftUpdate* update) {
  struct raft_event event = {0};
  event.type = RAFT_CONFIGURATION;
  event.configuration.index = index;
  if (!decode(membership, &event.configuration.conf)) return PAWL_RAFT_BROKEN;
  return sure(step(self, now, &event, update));
}

PawlRaftMessage pawl_raft_sent(const PawlRaft* self, uint32_t i) {
  const struct raft_message* from = &self->update.messages.batch[i];
  PawlRaftMessage to;
  memset(&to, 0, sizeof to);
  to.peer = from->server_id;
  to.type = PAWL_RAFT_NO_MESSAGE;
  switch (from->type) {
    case RAFT_APPEND_ENTRIES:
      to.type = PAWL_RAFT_APPEND_ENTRIES;
      to.term = from->append_entries.term;
      to.index = from->append_entries.prev_log_index;
      to.index_term = from->append_entries.prev_log_term;
      to.commit = from->append_entries.leader_commit;
      to.count = from->append_entries.n_entries;
      break;
    case RAFT_APPEND_ENTRIES_RESULT:
      to.type = PAWL_RAFT_APPEND_ENTRIES_RESULT;
      to.term = from->append_entries_result.term;
      to.rejected = from->append_entries_result.rejected;
      to.index = from->append_entries_result.last_log_index;
      break;
    case RAFT_REQUEST_VOTE:
      to.type = PAWL_RAFT_REQUEST_VOTE;
      to.term = from->request_vote.term;
      to.candidate = from->request_vote.candidate_id;
      to.index = from->request_vote.last_log_index;
      to.index_term = from->request_vote.last_log_term;
      to.disrupt_leader = from->request_vote.disrupt_leader;
      to.pre_vote = from->request_vote.pre_vote;
      break;
    case RAFT_REQUEST_VOTE_RESULT:
      to.type = PAWL_RAFT_REQUEST_VOTE_RESULT;
      to.term = from->request_vote_result.term;
      to.granted = from->request_vote_result.vote_granted;
      to.pre_vote = from->request_vote_result.pre_vote;
      break;
    case RAFT_INSTALL_SNAPSHOT:
      to.type = PAWL_RAFT_INSTALL_SNAPSHOT;
      to.term = from->install_snapshot.term;
      to.index = from->install_snapshot.last_index;
      to.index_term = from->install_snapshot.last_term;
      to.membership_index = from->install_snapshot.conf_index;
      break;
    case RAFT_TIMEOUT_NOW:
      to.type = PAWL_RAFT_TIMEOUT_NOW;
      to.term = from->timeout_now.term;
      to.index = from->timeout_now.last_log_index;
      to.index_term = from->timeout_now.last_log_term;
      break;
  }
  return to;
}

PawlRaftRole pawl_raft_role(const PawlRaft* self) {
  if (self->raft.state == RAFT_LEADER) return PAWL_RAFT_LEADER;
  return self->raft.state == RAFT_CANDIDATE ? PAWL_RAFT_CANDIDATE : PAWL_RAFT_FOLLOWER;
}

uint64_t pawl_raft_term(const PawlRaft* self) { return self->raft.current_term; }
uint64_t pawl_raft_vote(const PawlRaft* self) { return self->raft.voted_for; }

uint64_t pawl_raft_leader(const PawlRaft* self) {
  if (self->raft.state == RAFT_LEADER) return self->raft.id;
  return self->raft.state == RAFT_FOLLOWER ? self->raft.follower_state.current_leader.id : 0;
}

uint64_t pawl_raft_commit_index(const PawlRaft* self) { return self->raft.commit_index; }

/* libraft's own functions for its trail are not exported. */
static uint32_t trail_records(const struct raft_trail* t) {
  return t->front <= t->back ? t->back - t->front : t->size - t->front + t->back;
}

uint64_t pawl_raft_last_index(const PawlRaft* self) {
  const struct raft_trail* t = &self->raft.trail;
  const uint32_t n = trail_records(t);
  return n == 0 ? t->snapshot.index : t->records[(t->front + n - 1) % t->size].index;
}

uint64_t pawl_raft_stored_index(const PawlRaft* self) { return self->raft.last_stored; }

uint64_t pawl_raft_term_of(const PawlRaft* self, uint64_t index) {
  const struct raft_trail* t = &self->raft.trail;
  uint32_t n = trail_records(t);
  uint64_t term = 0;
  if (index == 0) return 0;
  if (index > t->offset) {
    /* From the newest record back: the last one that reaches up to the index has its term. */
    for (; n > 0 && t->records[(t->front + n - 1) % t->size].index >= index; n--) {
      term = t->records[(t->front + n - 1) % t->size].term;
    }
  }
  return term == 0 && index == t->snapshot.index ? t->snapshot.term : term;
}

uint64_t pawl_raft_snapshot_index(const PawlRaft* self) { return self->raft.trail.snapshot.index; }
uint64_t pawl_raft_next_timeout(const PawlRaft* self) { return raft_timeout(&self->raft); }
bool pawl_raft_installing(const PawlRaft* self) { return self->raft.snapshot.installing; }

uint64_t pawl_raft_match_index(const PawlRaft* self, uint64_t peer) {
  raft_index match = 0;
  return raft_match_index(&self->raft, peer, &match) == 0 ? match : 0;
}

uint64_t pawl_raft_committed_membership_index(const PawlRaft* self) {
  return self->raft.configuration_committed_index;
}

uint64_t pawl_raft_uncommitted_membership_index(const PawlRaft* self) {
  return self->raft.configuration_uncommitted_index;
}

uint32_t pawl_raft_members(const PawlRaft* self) { return self->raft.configuration.n; }

static PawlRaftMember member_of(const struct raft_configuration* from, uint32_t i) {
  const struct raft_server* server = &from->servers[i];
  const PawlRaftMember to = {server->id, server->address, server->role};
  return to;
}

PawlRaftMember pawl_raft_member(const PawlRaft* self, uint32_t i) {
  return member_of(&self->raft.configuration, i);
}

bool pawl_raft_encode(const PawlRaftMember* members, uint32_t count,
                      void (*told)(void* context, PawlRaftBytes encoded), void* context) {
  struct raft_configuration configuration;
  struct raft_buffer buffer = {NULL, 0};
  bool good = true;
  uint32_t i;
  raft_configuration_init(&configuration);
  for (i = 0; good && i < count; i++) {
    good = raft_configuration_add(&configuration, members[i].id, members[i].address,
                                  members[i].role) == 0;
  }
  good = good && raft_configuration_encode(&configuration, &buffer) == 0;
  if (good) {
    const PawlRaftBytes encoded = {buffer.base, buffer.len};
    told(context, encoded);
  }
  raft_free(buffer.base);
  raft_configuration_close(&configuration);
  return good;
}

bool pawl_raft_decode(PawlRaftBytes encoded, void (*told)(void* context, PawlRaftMember member),
                      void* context) {
  struct raft_configuration configuration;
  uint32_t i;
  if (!decode(encoded, &configuration)) return false;
  for (i = 0; i < configuration.n; i++) told(context, member_of(&configuration, i));
  raft_configuration_close(&configuration);
  return true;
}

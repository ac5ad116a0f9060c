/* SPDX-License-Identifier: Apache-2.0
 * libraft's raft_step() behind plain C structs: raft_core.c is the only file that includes
 * <raft.h>, which is not valid C++. It checks nothing: the preconditions are consensus.cpp's,
 * because Debian's build of libraft has no assertions. Not thread-safe; several instances in
 * several threads are fine.
 *
 * Who owns what, as libraft has it; all of it ends in raft_core.c, and callers keep what they pass
 * in:
 *  - submit: libraft frees neither the entries nor their batch.
 *  - received entries: the array is ours. libraft frees entries[0].batch unless it hands the
 * entries on (RAFT_UPDATE_ENTRIES, which may name a suffix of the array); then the batch is ours.
 *  - the barrier of an election: handed on in `struct raft`; its batch is ours.
 *  - start: entries and their batch are ours, but on an error libraft frees them;
 *    metadata->configuration becomes libraft's.
 *  - snapshot taken, snapshot persisted, membership committed: the configuration becomes libraft's.
 *  - a received snapshot: libraft closes its configuration when it answers at once, and hands it
 * back in update.snapshot.metadata when it is to be installed; a second one during an installation
 *    leaks, so it must not be given to libraft.
 *  - messages to send live until the next step; those with a snapshot have no configuration.
 * Entries' bytes are needed for memberships only: others get eight bytes that nobody reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PawlRaft PawlRaft;

typedef struct PawlRaftOptions {
  uint64_t id;
  uint32_t seed;
  uint32_t election_timeout_ms;
  uint32_t heartbeat_ms;
  uint32_t install_snapshot_timeout_ms;
  uint32_t catch_up_round_ms;
  uint32_t max_inflight_entries;
} PawlRaftOptions;

typedef struct PawlRaftBytes {
  const void* data;
  size_t size;
} PawlRaftBytes;

enum { PAWL_RAFT_COMMAND = 1, PAWL_RAFT_BARRIER = 2, PAWL_RAFT_CHANGE = 3 };

typedef struct PawlRaftEntry {
  uint64_t term;
  int kind;
  PawlRaftBytes membership; /* of a change; else empty */
} PawlRaftEntry;

typedef struct PawlRaftMark {
  uint64_t index;
  uint64_t term;
  uint64_t membership_index;
  PawlRaftBytes membership;
} PawlRaftMark;

typedef enum PawlRaftMessageType {
  PAWL_RAFT_APPEND_ENTRIES,
  PAWL_RAFT_APPEND_ENTRIES_RESULT,
  PAWL_RAFT_REQUEST_VOTE,
  PAWL_RAFT_REQUEST_VOTE_RESULT,
  PAWL_RAFT_INSTALL_SNAPSHOT,
  PAWL_RAFT_TIMEOUT_NOW,
  PAWL_RAFT_NO_MESSAGE
} PawlRaftMessageType;

/* All kinds in one: each uses the fields that it has. */
typedef struct PawlRaftMessage {
  PawlRaftMessageType type;
  uint64_t peer;
  uint64_t term;
  uint64_t index;      /* previous_index of append entries; last_index of all others */
  uint64_t index_term; /* the term of that entry */
  uint64_t commit;
  uint64_t rejected;
  uint64_t candidate;
  uint64_t membership_index;
  PawlRaftBytes membership;
  const PawlRaftEntry* entries; /* of a received message */
  uint32_t count;
  bool disrupt_leader;
  bool pre_vote;
  bool granted;
} PawlRaftMessage;

typedef enum PawlRaftResult {
  PAWL_RAFT_OK,
  PAWL_RAFT_REFUSED,       /* submit: not the leader, or no change can be made now */
  PAWL_RAFT_CONTRADICTION, /* receive: against what is committed */
  PAWL_RAFT_BROKEN         /* out of memory, or something that libraft's source rules out */
} PawlRaftResult;

/* What a step asks for. Its messages: pawl_raft_sent(). */
typedef struct PawlRaftUpdate {
  bool term_or_vote;
  bool role_changed;
  bool install;   /* of the snapshot that was received in this step */
  bool barrier;   /* the one entry is a new leader's barrier */
  uint64_t first; /* of the entries to write; zero: none */
  uint32_t count;
  uint32_t messages;
} PawlRaftUpdate;

/* NULL: out of memory. Which libraft it is can only be asked when building: raft_version_number()
 * is declared but not exported. */
PawlRaft* pawl_raft_new(const PawlRaftOptions* options);
void pawl_raft_free(PawlRaft* raft);

PawlRaftResult pawl_raft_start(PawlRaft* raft, uint64_t now, uint64_t term, uint64_t vote,
                               const PawlRaftMark* snapshot, uint64_t first,
                               const PawlRaftEntry* entries, uint32_t count,
                               PawlRaftUpdate* update);
PawlRaftResult pawl_raft_submit(PawlRaft* raft, uint64_t now, const PawlRaftEntry* entries,
                                uint32_t count, PawlRaftUpdate* update);
PawlRaftResult pawl_raft_receive(PawlRaft* raft, uint64_t now, const PawlRaftMessage* message,
                                 PawlRaftUpdate* update);
PawlRaftResult pawl_raft_timeout(PawlRaft* raft, uint64_t now, PawlRaftUpdate* update);
PawlRaftResult pawl_raft_persisted(PawlRaft* raft, uint64_t now, uint64_t index,
                                   PawlRaftUpdate* update);
PawlRaftResult pawl_raft_snapshot_installed(PawlRaft* raft, uint64_t now, const PawlRaftMark* mark,
                                            PawlRaftUpdate* update);
PawlRaftResult pawl_raft_snapshot_taken(PawlRaft* raft, uint64_t now, const PawlRaftMark* mark,
                                        uint32_t trailing, PawlRaftUpdate* update);
PawlRaftResult pawl_raft_membership_committed(PawlRaft* raft, uint64_t now, uint64_t index,
                                              PawlRaftBytes membership, PawlRaftUpdate* update);

/* The i'th message of the last step. */
PawlRaftMessage pawl_raft_sent(const PawlRaft* raft, uint32_t i);

typedef enum PawlRaftRole {
  PAWL_RAFT_FOLLOWER,
  PAWL_RAFT_CANDIDATE,
  PAWL_RAFT_LEADER
} PawlRaftRole;

PawlRaftRole pawl_raft_role(const PawlRaft* raft);
uint64_t pawl_raft_term(const PawlRaft* raft);
uint64_t pawl_raft_vote(const PawlRaft* raft);
uint64_t pawl_raft_leader(const PawlRaft* raft);
uint64_t pawl_raft_commit_index(const PawlRaft* raft);
uint64_t pawl_raft_last_index(const PawlRaft* raft);
uint64_t pawl_raft_stored_index(const PawlRaft* raft);
/* Zero: neither in the log nor the last entry of the snapshot. */
uint64_t pawl_raft_term_of(const PawlRaft* raft, uint64_t index);
uint64_t pawl_raft_snapshot_index(const PawlRaft* raft);
uint64_t pawl_raft_next_timeout(const PawlRaft* raft);
bool pawl_raft_installing(const PawlRaft* raft);
/* Zero: nothing is known, the peer is no member, or this is not the leader. */
uint64_t pawl_raft_match_index(const PawlRaft* raft, uint64_t peer);
/* Zero: none. */
uint64_t pawl_raft_committed_membership_index(const PawlRaft* raft);
uint64_t pawl_raft_uncommitted_membership_index(const PawlRaft* raft);

typedef struct PawlRaftMember {
  uint64_t id;
  const char* address;
  int role; /* 0 standby, 1 voter, 2 spare */
} PawlRaftMember;

/* Of the latest membership, committed or not. */
uint32_t pawl_raft_members(const PawlRaft* raft);
PawlRaftMember pawl_raft_member(const PawlRaft* raft, uint32_t i);

/* Told of the encoded bytes, which end with the call. False: an id or address twice, or a bad role.
 */
bool pawl_raft_encode(const PawlRaftMember* members, uint32_t count,
                      void (*told)(void* context, PawlRaftBytes encoded), void* context);
/* Told of each member. The bytes must have passed has_membership_shape() of membership.cpp: libraft
 * reads past the end of others. False: no membership. */
bool pawl_raft_decode(PawlRaftBytes encoded, void (*told)(void* context, PawlRaftMember member),
                      void* context);

#ifdef __cplusplus
}
#endif

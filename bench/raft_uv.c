// SPDX-License-Identifier: Apache-2.0
#include "raft_uv.h"

#include <raft.h>
#include <raft/uv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node;

struct client {
  struct raft_apply apply;
  struct node* node;
  uint64_t submitted;
};

struct node {
  uv_loop_t loop;
  struct raft_uv_transport transport;
  struct raft_io io;
  struct raft_fsm fsm;
  struct raft raft;
  const struct bench_load* load;
  struct client* clients;
  unsigned under_way;
  uint64_t begin, end;
  uint64_t begin_cpu, end_cpu;
  struct bench_outcome out;
  bool failed;
  bool raft_open;
};

static int no_apply(struct raft_fsm* fsm, const struct raft_buffer* buffer, void** result) {
  (void)fsm;
  (void)buffer;
  *result = NULL;
  return 0;
}

static int no_snapshot(struct raft_fsm* fsm, struct raft_buffer* buffers[], unsigned* n) {
  (void)fsm;
  (void)buffers;
  (void)n;
  return RAFT_INVALID;
}

static int no_restore(struct raft_fsm* fsm, struct raft_buffer* buffer) {
  (void)fsm;
  (void)buffer;
  return RAFT_INVALID;
}

static void fail(struct node* node, const char* doing, const char* why) {
  if (node->failed) return;
  node->failed = true;
  snprintf(node->out.error, sizeof node->out.error, "%s: %s", doing, why);
}

static void closed(struct raft* raft) {
  struct node* node = raft->data;
  node->raft_open = false;
}

static void submit(struct client* client);

static void applied(struct raft_apply* apply, int status, void* result) {
  (void)result;
  struct client* client = apply->data;
  struct node* node = client->node;
  const uint64_t now = bench_now_ns();
  --node->under_way;
  if (status != 0) fail(node, "apply", raft_strerror(status));
  if (now >= node->begin && node->begin_cpu == 0) node->begin_cpu = bench_cpu_ns();
  if (now >= node->end && node->end_cpu == 0) node->end_cpu = bench_cpu_ns();
  if (now >= node->begin && now < node->end) {
    node->load->on_latency(node->load->context, now - client->submitted);
    ++node->out.entries;
  }
  if (now < node->end && !node->failed) submit(client);
  if (node->under_way == 0) uv_stop(&node->loop);
}

static void submit(struct client* client) {
  struct node* node = client->node;
  struct raft_buffer buffer = {.base = raft_malloc(node->load->entry_bytes),
                               .len = node->load->entry_bytes};
  if (buffer.base == NULL) {
    fail(node, "submit", "out of memory");
    return;
  }
  memset(buffer.base, 'x', buffer.len);
  client->apply.data = client;
  client->submitted = bench_now_ns();
  const int rv = raft_apply(&node->raft, &client->apply, &buffer, 1, applied);
  if (rv != 0) {
    raft_free(buffer.base);
    fail(node, "raft_apply", raft_strerror(rv));
    return;
  }
  ++node->under_way;
}

static int bootstrap(struct node* node) {
  struct raft_configuration configuration;
  raft_configuration_init(&configuration);
  int rv = raft_configuration_add(&configuration, 1, "127.0.0.1:0", RAFT_VOTER);
  if (rv == 0) rv = raft_bootstrap(&node->raft, &configuration);
  raft_configuration_close(&configuration);
  return rv;
}

static bool open_node(struct node* node) {
  node->transport.version = 1;
  int rv = raft_uv_tcp_init(&node->transport, &node->loop);
  if (rv != 0) {
    fail(node, "raft_uv_tcp_init", raft_strerror(rv));
    return false;
  }
  rv = raft_uv_init(&node->io, &node->loop, node->load->folder, &node->transport);
  if (rv != 0) {
    fail(node, "raft_uv_init", node->io.errmsg);
    return false;
  }
  raft_uv_set_tracer(&node->io, NULL);
  node->fsm = (struct raft_fsm){
      .version = 1, .apply = no_apply, .snapshot = no_snapshot, .restore = no_restore};
  rv = raft_init(&node->raft, &node->io, &node->fsm, 1, "127.0.0.1:0");
  if (rv != 0) {
    fail(node, "raft_init", node->raft.errmsg);
    return false;
  }
  node->raft.data = node;
  node->raft.tracer = NULL;
  node->raft_open = true;
  raft_set_snapshot_threshold(&node->raft, 1u << 30);
  raft_set_capacity_threshold(&node->raft, 0);
  rv = bootstrap(node);
  if (rv == 0) rv = raft_start(&node->raft);
  if (rv == 0 && raft_state(&node->raft) != RAFT_LEADER) rv = RAFT_NOTLEADER;
  if (rv != 0) fail(node, "raft_start", raft_strerror(rv));
  return rv == 0;
}

static void close_node(struct node* node) {
  if (node->raft_open) raft_close(&node->raft, closed);
  uv_run(&node->loop, UV_RUN_DEFAULT);
  if (node->io.impl != NULL) raft_uv_close(&node->io);
  if (node->transport.impl != NULL) raft_uv_tcp_close(&node->transport);
}

struct bench_outcome raft_uv_run(const struct bench_load* load) {
  struct node* node = calloc(1, sizeof *node);
  struct bench_outcome out = {0};
  if (node == NULL) {
    snprintf(out.error, sizeof out.error, "out of memory");
    return out;
  }
  node->load = load;
  node->clients = calloc(load->in_flight, sizeof *node->clients);
  uv_loop_init(&node->loop);
  if (node->clients != NULL && open_node(node)) {
    node->begin = bench_now_ns() + (uint64_t)(load->warm_up_seconds * 1e9);
    node->end = node->begin + (uint64_t)(load->seconds * 1e9);
    for (unsigned i = 0; i < load->in_flight; ++i) {
      node->clients[i].node = node;
      submit(&node->clients[i]);
    }
    if (node->under_way != 0) uv_run(&node->loop, UV_RUN_DEFAULT);
    node->out.seconds = load->seconds;
    node->out.cpu_seconds = (double)(node->end_cpu - node->begin_cpu) / 1e9;
  }
  close_node(node);
  uv_loop_close(&node->loop);
  out = node->out;
  free(node->clients);
  free(node);
  return out;
}

/* The calls of the data path of an adapter as a C program makes them, to compare the provider ibverbs with: adapter-calls DEVICE
 * Prints the nanoseconds of a poll of an empty CQ, and of a post of a Write of 64 bytes. Two RC queue pairs of this process are connected
 * with each other. AdapterCalls.java does the same, with the same sizes and counts. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLLS = 200000, ENTRIES = 16, BATCHES = 60, BATCH = 32, DEPTH = 128, BYTES = 64, IPV4_GID = 1 };

static void check(int good, const char *what) {
    if (!good) {
        perror(what);
        exit(1);
    }
}

static double now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1e9 + at.tv_nsec;
}

static struct ibv_context *open_device(const char *name) {
    struct ibv_device **all = ibv_get_device_list(NULL);
    check(all != NULL, "ibv_get_device_list");
    for (int i = 0; all[i]; i++)
        if (strcmp(ibv_get_device_name(all[i]), name) == 0) {
            struct ibv_context *context = ibv_open_device(all[i]);
            check(context != NULL, "ibv_open_device");
            return context;
        }
    fprintf(stderr, "there is no device %s\n", name);
    exit(1);
}

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_cq *cq) {
    struct ibv_qp_init_attr wanted = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = DEPTH, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(pd, &wanted);
    check(qp != NULL, "ibv_create_qp");
    return qp;
}

static void connect_to(struct ibv_qp *qp, struct ibv_qp *peer, union ibv_gid gid) {
    struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
    check(!ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
    struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num,
        .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = IPV4_GID, .hop_limit = 64}}};
    check(!ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "RTR");
    struct ibv_qp_attr rts = {.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
    check(!ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
        IBV_QP_MAX_QP_RD_ATOMIC), "RTS");
}

int main(int count, char **arguments) {
    struct ibv_wc entries[ENTRIES];
    union ibv_gid gid;
    check(count == 2, "adapter-calls DEVICE");
    struct ibv_context *context = open_device(arguments[1]);
    check(!ibv_query_gid(context, 1, IPV4_GID, &gid), "ibv_query_gid");
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0);
    char *memory = calloc(1, 4096);
    struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    check(pd && cq && mr, "ibv_reg_mr");
    struct ibv_qp *near = create(pd, cq), *far = create(pd, cq);
    connect_to(near, far, gid);
    connect_to(far, near, gid);

    double start = now_ns();
    int found = 0;
    for (int i = 0; i < POLLS; i++) found += ibv_poll_cq(cq, ENTRIES, entries);
    double polling = now_ns() - start, posting = 0;
    check(found == 0, "an empty CQ");
    for (int batch = 0; batch < BATCHES; batch++) {
        start = now_ns();
        for (int i = 0; i < BATCH; i++) {
            struct ibv_sge element = {.addr = (uintptr_t) memory, .length = BYTES, .lkey = mr->lkey};
            struct ibv_send_wr write = {.wr_id = i, .sg_list = &element, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
                .send_flags = i == BATCH - 1 ? IBV_SEND_SIGNALED : 0,
                .wr.rdma = {.remote_addr = (uintptr_t) memory + 2048, .rkey = mr->rkey}};
            struct ibv_send_wr *bad;
            check(!ibv_post_send(near, &write, &bad), "ibv_post_send");
        }
        posting += now_ns() - start;
        while ((found = ibv_poll_cq(cq, ENTRIES, entries)) == 0) ;
        check(found == 1 && entries[0].status == IBV_WC_SUCCESS, "a completion");
    }
    printf("%.1f %.1f\n", polling / POLLS, posting / BATCHES / BATCH);
    return 0;
}

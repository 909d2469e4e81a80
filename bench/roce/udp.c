/*
 * UDP packets of the shapes of RoCEv2 between two threads over loopback, without any RDMA work: the limit for Verbena's provider roce.
 *
 *   udp stream BYTES MTU MESSAGES gso|single     one-way Writes of BYTES at path MTU
 *   udp pingpong ROUND-TRIPS                     Writes of 8 bytes, both sides poll
 *
 * Prints the duration in nanoseconds. A Write is a FIRST packet with BTH, RETH and ICRC, and MIDDLE and LAST packets with BTH and ICRC; a short
 * one is one packet. Packets of one length leave by one call (UDP_SEGMENT) and arrive by one call (UDP_GRO), except with "single". A window
 * of packets, derived from the receive buffer, stands for the window of acknowledged packets; the receiver reports by a shared counter.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#define UDP_GRO 104
#endif

enum { HEADERS = 16, RETH = 16, GROUP = 64, CALL = 65507, BUFFER = 4 << 20, LIMIT_S = 20 };

static struct sockaddr_in there;
static int in, out;
static _Atomic long arrived;
static long total;
static int gso;
static char data[CALL + 1];
static char taken[1 << 16];

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int bound(struct sockaddr_in *name)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0), size = BUFFER;
    socklen_t length = sizeof *name;
    memset(name, 0, sizeof *name);
    name->sin_family = AF_INET;
    name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (fd < 0 || bind(fd, (struct sockaddr *)name, sizeof *name) || getsockname(fd, (struct sockaddr *)name, &length))
        die("socket");
    return fd;
}

static void sent(int length, int count)
{
    struct iovec piece = { data, (size_t)length * count };
    char control[CMSG_SPACE(sizeof(unsigned short))];
    struct msghdr message = { &there, sizeof there, &piece, 1, NULL, 0, 0 };
    if (count > 1) {
        struct cmsghdr *option;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        option = CMSG_FIRSTHDR(&message);
        option->cmsg_level = IPPROTO_UDP;
        option->cmsg_type = UDP_SEGMENT;
        option->cmsg_len = CMSG_LEN(sizeof(unsigned short));
        *(unsigned short *)CMSG_DATA(option) = length;
    }
    while (sendmsg(out, &message, 0) < 0)
        if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
            die("sendmsg");
}

static void *receive(void *unused)
{
    long count = 0;
    (void)unused;
    while (count < total) {
        struct iovec piece = { taken, sizeof taken };
        char control[64];
        struct msghdr message = { NULL, 0, &piece, 1, control, sizeof control, 0 };
        struct cmsghdr *option;
        int segment = 0;
        long length = recvmsg(in, &message, MSG_DONTWAIT);
        if (length < 0) {
            if (errno != EAGAIN && errno != EINTR)
                die("recvmsg");
            sched_yield();
            continue;
        }
        for (option = CMSG_FIRSTHDR(&message); option; option = CMSG_NXTHDR(&message, option))
            if (option->cmsg_level == IPPROTO_UDP && option->cmsg_type == UDP_GRO)
                segment = *(int *)CMSG_DATA(option);
        count += segment > 0 ? (length + segment - 1) / segment : 1;
        atomic_store_explicit(&arrived, count, memory_order_release);
    }
    return NULL;
}

static void wait_for(long packet, long window, long limit)
{
    while (packet - atomic_load_explicit(&arrived, memory_order_acquire) > window) {
        sched_yield();
        if (now() > limit) {
            fprintf(stderr, "packets were lost: %ld of %ld arrived\n", (long)arrived, total);
            exit(1);
        }
    }
}

static long stream(long bytes, long mtu, long messages)
{
    long packets = bytes <= mtu ? 1 : (bytes + mtu - 1) / mtu, packet = 0, i, begin, limit, window;
    int size = 0, on = 1;
    socklen_t length = sizeof size;
    pthread_t receiver;
    struct sockaddr_in mine;
    in = bound(&there);
    out = bound(&mine);
    getsockopt(in, SOL_SOCKET, SO_RCVBUF, &size, &length);
    window = size / 2 / ((mtu < bytes ? mtu : bytes) * (gso ? 1 : 2) + 768);
    if (gso)
        setsockopt(in, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
    total = packets * messages;
    pthread_create(&receiver, NULL, receive, NULL);
    begin = now();
    limit = begin + LIMIT_S * 1000000000L;
    if (packets == 1) {
        int each = HEADERS + RETH + bytes, most = gso ? GROUP : 1;
        while (packet < total) {
            long count = total - packet < most ? total - packet : most;
            wait_for(packet + count, window, limit);
            sent(each, count);
            packet += count;
        }
    } else {
        int each = HEADERS + mtu, most = gso ? (CALL / each < GROUP ? CALL / each : GROUP) : 1;
        for (i = 0; i < messages; i++) {
            long left = packets - 1;
            wait_for(packet + 1, window, limit);
            sent(each + RETH, 1);
            packet++;
            while (left > 0) {
                long count = left < most ? left : most;
                wait_for(packet + count, window, limit);
                sent(each, count);
                packet += count;
                left -= count;
            }
        }
    }
    wait_for(packet, 0, limit);
    begin = now() - begin;
    pthread_join(receiver, NULL);
    return begin;
}

static long rounds;
static struct sockaddr_in left, right;
static int left_fd, right_fd;

static void turn(int fd, struct sockaddr_in *to, int first)
{
    char packet[HEADERS + RETH + 8] = { 0 };
    if (first && sendto(fd, packet, sizeof packet, 0, (struct sockaddr *)to, sizeof *to) < 0)
        die("sendto");
    while (recv(fd, packet, sizeof packet, MSG_DONTWAIT) < 0)
        if (errno != EAGAIN && errno != EINTR)
            die("recv");
    if (!first && sendto(fd, packet, sizeof packet, 0, (struct sockaddr *)to, sizeof *to) < 0)
        die("sendto");
}

static void *echo(void *unused)
{
    (void)unused;
    for (long i = 0; i < rounds; i++)
        turn(right_fd, &left, 0);
    return NULL;
}

static long pingpong(void)
{
    pthread_t other;
    long begin;
    left_fd = bound(&left);
    right_fd = bound(&right);
    pthread_create(&other, NULL, echo, NULL);
    begin = now();
    for (long i = 0; i < rounds; i++)
        turn(left_fd, &right, 1);
    begin = now() - begin;
    pthread_join(other, NULL);
    return begin;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "pingpong")) {
        rounds = atol(argv[2]);
        printf("%ld\n", pingpong());
        return 0;
    }
    if (argc == 6 && !strcmp(argv[1], "stream")) {
        gso = !strcmp(argv[5], "gso");
        printf("%ld\n", stream(atol(argv[2]), atol(argv[3]), atol(argv[4])));
        return 0;
    }
    fprintf(stderr, "udp stream BYTES MTU MESSAGES gso|single, or udp pingpong ROUND-TRIPS\n");
    return 2;
}

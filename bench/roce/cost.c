/*
 * What the system takes for the packets of the provider roce over loopback, without any RDMA work, in one thread: processor time, the least of
 * many rounds, so that other programs disturb little. A reading of the clock is subtracted.
 *
 *   cc -O2 -o cost bench/roce/cost.c && ./cost
 *
 * A Write of 8 B is a packet of 40 bytes, and its acknowledgement one of 20. The rows of one packet are those of udp.c; the others use the socket
 * options and the calls of Verbena: the sender's address, control data, UDP_GRO, errors, no fragmentation, and the ECN mark of received packets.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
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

enum { BUFFER = 4 << 20, CALL = 65507, ROUNDS = 400, MESSAGES = 100, WRITE = 40, ACK = 20, HEADERS = 16, GROUP = 64 };

static int in, out, plain;
static long readNs = 1L << 60;
static struct sockaddr_in there;
static char data[CALL + 1], taken[1 << 16];

static long cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void set(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof value);
}

static int bound(struct sockaddr_in *name, int marks)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    socklen_t length = sizeof *name;
    memset(name, 0, sizeof *name);
    name->sin_family = AF_INET;
    name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    set(fd, SOL_SOCKET, SO_RCVBUF, BUFFER);
    set(fd, SOL_SOCKET, SO_SNDBUF, BUFFER);
    if (!plain) {
        set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
        set(fd, IPPROTO_IP, IP_RECVERR, 1);
        set(fd, IPPROTO_IP, IP_RECVTOS, marks);
        set(fd, IPPROTO_UDP, UDP_GRO, 1);
    }
    if (fd < 0 || bind(fd, (struct sockaddr *)name, sizeof *name) || getsockname(fd, (struct sockaddr *)name, &length)) {
        perror("socket");
        exit(1);
    }
    return fd;
}

static void begin(int simple, int marks)
{
    struct sockaddr_in mine;
    plain = simple;
    in = bound(&there, marks);
    out = bound(&mine, marks);
}

static void end(void)
{
    close(in);
    close(out);
}

/* Sends bytes by one call, in packets of a length. */
static void sent(int bytes, int each)
{
    struct iovec piece = { data, (size_t)bytes };
    char control[CMSG_SPACE(sizeof(unsigned short))];
    struct msghdr message = { &there, sizeof there, &piece, 1, NULL, 0, 0 };
    if (plain) {
        sendto(out, data, (size_t)bytes, 0, (struct sockaddr *)&there, sizeof there);
        return;
    }
    if (each < bytes) {
        struct cmsghdr *option;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        option = CMSG_FIRSTHDR(&message);
        option->cmsg_level = IPPROTO_UDP;
        option->cmsg_type = UDP_SEGMENT;
        option->cmsg_len = CMSG_LEN(sizeof(unsigned short));
        *(unsigned short *)CMSG_DATA(option) = (unsigned short)each;
    }
    sendmsg(out, &message, MSG_NOSIGNAL);
}

static long received(void)
{
    struct sockaddr_in from;
    char control[256];
    struct iovec piece = { taken, sizeof taken };
    struct msghdr message = { &from, sizeof from, &piece, 1, control, sizeof control, 0 };
    return plain ? recv(in, taken, sizeof taken, MSG_DONTWAIT) : recvmsg(in, &message, MSG_DONTWAIT);
}

static void least(long *least, long ns)
{
    if (ns < *least)
        *least = ns;
}

/* Calls of these sizes, one after the other, and their reception. */
static void row(const char *name, int simple, int marks, const int (*calls)[2], int count)
{
    long sending = 1L << 60, receiving = 1L << 60, nothing = 1L << 60;
    begin(simple, marks);
    for (int round = 0; round < ROUNDS; round++) {
        long sendNs = 0, receiveNs = 0, ns;
        for (int i = 0; i < MESSAGES; i++) {
            ns = cpu();
            for (int k = 0; k < count; k++)
                sent(calls[k][0], calls[k][1]);
            sendNs += cpu() - ns - readNs;
            ns = cpu();
            for (int k = 0; k < count; k++)
                while (received() < 0)
                    ;
            receiveNs += cpu() - ns - readNs;
        }
        ns = cpu();
        for (int i = 0; i < MESSAGES; i++)
            received();
        least(&nothing, cpu() - ns);
        least(&sending, sendNs);
        least(&receiving, receiveNs);
    }
    end();
    printf("%-44s send %6ld ns, receive %6ld, in vain %4ld\n", name, sending / MESSAGES, receiving / MESSAGES,
        nothing / MESSAGES);
}

int main(void)
{
    const int one[][2] = { { WRITE, WRITE } }, pair[][2] = { { WRITE + ACK, WRITE } };
    const int two[][2] = { { WRITE, WRITE }, { ACK, ACK } }, group[][2] = { { GROUP * WRITE, WRITE } };
    const int small[][2] = { { 2 * HEADERS + 1024, CALL }, { 62 * (HEADERS + 1024), HEADERS + 1024 }, { HEADERS + 1024, CALL } };
    const int large[][2] = { { 2 * HEADERS + 4096, CALL }, { 15 * (HEADERS + 4096), HEADERS + 4096 } };
    for (int i = 0; i < ROUNDS * MESSAGES; i++) {
        long ns = cpu();
        least(&readNs, cpu() - ns);
    }
    row("a Write, as in udp.c", 1, 0, one, 1);
    row("a Write, without marks", 0, 0, one, 1);
    row("a Write", 0, 1, one, 1);
    row("a Write and an acknowledgement, one call", 0, 1, pair, 1);
    row("a Write and an acknowledgement, two calls", 0, 1, two, 2);
    row("64 Writes", 0, 1, group, 1);
    row("64 KiB at path MTU 1024", 0, 1, small, 3);
    row("64 KiB at path MTU 4096", 0, 1, large, 2);
    return 0;
}

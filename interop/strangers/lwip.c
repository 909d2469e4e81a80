/*
 * lwIP at the end of an Ethernet link over a Unix socket, with the framing of QEMU (each frame follows its length in four bytes):
 *
 *   lwip SOCKET OWN-ADDRESS PEER-ADDRESS          IPv4 or IPv6, on one network of 24 or 64 bits
 *
 * Commands arrive at the standard input, one a line:
 *
 *   connect PORT SEND RECEIVE END                 one connection to the peer
 *   listen PORT COUNT SEND RECEIVE END            that many connections from it
 *
 * Each connection sends SEND bytes of a pattern, ends its direction, and expects RECEIVE bytes of the same pattern and the end of the
 * other direction. END is "close"; "reset": the connection is aborted once RECEIVE bytes have arrived; or "stop": nothing is consumed
 * for 1.5 s. The program prints "ready PORT" when it listens at a port, and "done PORT" or "failed PORT REASON" for each connection. It
 * ends when its input or the link ends.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <lwip/err.h>
#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/tcp.h>
#include <lwip/tcpip.h>
#include <lwip/timeouts.h>
#include <netif/ethernet.h>

#define PATTERN 65521
#define STOP_MS 1500

static int link_fd;
static struct netif nif;
static ip_addr_t own, peer;
static unsigned char pattern[PATTERN];

/* The bytes of new java.util.Random(1). */
static void make_pattern(void)
{
    uint64_t mask = (1ULL << 48) - 1, state = (1 ^ 0x5DEECE66DULL) & mask;
    uint32_t word = 0;
    for (int i = 0; i < PATTERN; i++) {
        if (i % 4 == 0) {
            state = (state * 0x5DEECE66DULL + 11) & mask;
            word = (uint32_t)(state >> 16);
        }
        pattern[i] = (unsigned char)(word >> 8 * (i % 4));
    }
}

static void say(const char *what, int port, const char *reason)
{
    printf("%s %d%s%s\n", what, port, *reason ? " " : "", reason);
    fflush(stdout);
}

/* ---- the link ---- */

static err_t send_frame(struct netif *to, struct pbuf *p)
{
    unsigned char frame[4 + 2048];
    uint32_t length = htonl(p->tot_len);
    (void)to;
    if (p->tot_len > sizeof frame - 4)
        return ERR_BUF;
    memcpy(frame, &length, 4);
    pbuf_copy_partial(p, frame + 4, p->tot_len, 0);
    for (size_t done = 0, all = 4 + p->tot_len; done < all;) {
        ssize_t n = send(link_fd, frame + done, all - done, MSG_NOSIGNAL);
        if (n <= 0)
            exit(0);
        done += (size_t)n;
    }
    return ERR_OK;
}

static void receive(void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = read(link_fd, (char *)to + done, bytes - done);
        if (n <= 0)
            exit(0);
        done += (size_t)n;
    }
}

static void *frames(void *unused)
{
    static unsigned char frame[65536];
    (void)unused;
    for (;;) {
        uint32_t length;
        struct pbuf *p;
        receive(&length, sizeof length);
        length = ntohl(length);
        if (length > sizeof frame)
            exit(3);
        receive(frame, length);
        LOCK_TCPIP_CORE();
        /* Not PBUF_POOL: the library of Debian allocates 592 bytes for such a buffer and uses 1,514. */
        p = pbuf_alloc(PBUF_RAW, (u16_t)length, PBUF_RAM);
        if (p != NULL && (pbuf_take(p, frame, (u16_t)length) != ERR_OK || nif.input(p, &nif) != ERR_OK))
            pbuf_free(p);
        UNLOCK_TCPIP_CORE();
    }
    return NULL;
}

static err_t start_link(struct netif *it)
{
    static const unsigned char address[6] = {0x02, 'l', 'w', 'i', 'p', 1};
    it->name[0] = 'q', it->name[1] = '0';
    it->hwaddr_len = sizeof address;
    memcpy(it->hwaddr, address, sizeof address);
    it->mtu = 1500;
    it->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP | NETIF_FLAG_MLD6;
    it->output = etharp_output;
    it->output_ip6 = ethip6_output;
    it->linkoutput = send_frame;
    return ERR_OK;
}

/* ---- connections; everything with the lock of the core held ---- */

enum end { END_CLOSE, END_RESET, END_STOP };

struct conn {
    struct tcp_pcb *pcb;
    int port;
    long send, receive, sent, received, unread;
    enum end end;
    int shut, ended;
};

struct listener {
    struct tcp_pcb *pcb;
    int port, left;
    long send, receive;
    enum end end;
};

static void resume(void *arg)
{
    struct conn *c = arg;
    long n = c->unread;
    c->end = END_CLOSE;
    c->unread = 0;
    while (n > 0) {
        u16_t some = (u16_t)(n > 0x4000 ? 0x4000 : n);
        tcp_recved(c->pcb, some);
        n -= some;
    }
}

static void forget(struct conn *c)
{
    sys_untimeout(resume, c);
    tcp_arg(c->pcb, NULL);
    tcp_recv(c->pcb, NULL);
    tcp_sent(c->pcb, NULL);
    tcp_err(c->pcb, NULL);
    tcp_poll(c->pcb, NULL, 0);
}

static err_t give_up(struct conn *c, const char *reason)
{
    struct tcp_pcb *pcb = c->pcb;
    say("failed", c->port, reason);
    forget(c);
    free(c);
    tcp_abort(pcb);
    return ERR_ABRT;
}

static err_t finish(struct conn *c)
{
    char reason[80];
    if (!c->shut || !c->ended)
        return ERR_OK;
    if (c->received != c->receive) {
        snprintf(reason, sizeof reason, "received %ld bytes, not %ld", c->received, c->receive);
        return give_up(c, reason);
    }
    say("done", c->port, "");
    forget(c);
    if (tcp_close(c->pcb) != ERR_OK) {
        tcp_abort(c->pcb);
        free(c);
        return ERR_ABRT;
    }
    free(c);
    return ERR_OK;
}

static err_t fill(struct conn *c)
{
    while (c->sent < c->send) {
        long at = c->sent % PATTERN, n = PATTERN - at;
        if (n > c->send - c->sent)
            n = c->send - c->sent;
        if (n > tcp_sndbuf(c->pcb))
            n = tcp_sndbuf(c->pcb);
        if (n == 0 || tcp_write(c->pcb, pattern + at, (u16_t)n, TCP_WRITE_FLAG_COPY) != ERR_OK)
            break;
        c->sent += n;
    }
    tcp_output(c->pcb);
    if (c->sent == c->send && !c->shut && c->end != END_RESET) {
        if (tcp_shutdown(c->pcb, 0, 1) != ERR_OK)
            return ERR_OK; /* no memory: on_poll tries again */
        c->shut = 1;
        return finish(c);
    }
    return ERR_OK;
}

static err_t on_sent(void *arg, struct tcp_pcb *pcb, u16_t bytes)
{
    (void)pcb, (void)bytes;
    return fill(arg);
}

static err_t on_poll(void *arg, struct tcp_pcb *pcb)
{
    (void)pcb;
    return fill(arg);
}

static void on_error(void *arg, err_t err)
{
    struct conn *c = arg;
    say("failed", c->port, err == ERR_RST ? "reset" : err == ERR_ABRT ? "aborted" : "lost");
    sys_untimeout(resume, c);
    free(c);
}

static err_t on_received(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t err)
{
    struct conn *c = arg;
    u16_t bytes;
    (void)err;
    if (p == NULL) {
        c->ended = 1;
        return finish(c);
    }
    bytes = p->tot_len;
    for (struct pbuf *q = p; q != NULL; q = q->next) {
        for (int i = 0; i < q->len; i++, c->received++) {
            if (((unsigned char *)q->payload)[i] != pattern[c->received % PATTERN]) {
                pbuf_free(p);
                return give_up(c, "wrong bytes");
            }
        }
    }
    pbuf_free(p);
    if (c->end == END_STOP)
        c->unread += bytes;
    else
        tcp_recved(pcb, bytes);
    if (c->end == END_RESET && c->received >= c->receive) {
        say("done", c->port, "");
        forget(c);
        free(c);
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    return ERR_OK;
}

static void begin(struct conn *c, struct tcp_pcb *pcb)
{
    c->pcb = pcb;
    tcp_arg(pcb, c);
    tcp_recv(pcb, on_received);
    tcp_sent(pcb, on_sent);
    tcp_err(pcb, on_error);
    tcp_poll(pcb, on_poll, 1);
    tcp_nagle_disable(pcb);
    if (c->end == END_STOP) /* before the end of data, which is longer than the window */
        sys_timeout(STOP_MS, resume, c);
}

static struct conn *connection(int port, long send, long receive, enum end end)
{
    struct conn *c = calloc(1, sizeof *c);
    c->port = port, c->send = send, c->receive = receive, c->end = end;
    return c;
}

static err_t on_connected(void *arg, struct tcp_pcb *pcb, err_t err)
{
    (void)pcb, (void)err;
    return fill(arg);
}

static void connect_to(int port, long send, long receive, enum end end)
{
    struct conn *c = connection(port, send, receive, end);
    struct tcp_pcb *pcb = tcp_new_ip_type(IP_GET_TYPE(&peer));
    err_t err;
    begin(c, pcb);
    err = tcp_connect(pcb, &peer, (u16_t)port, on_connected);
    if (err != ERR_OK)
        give_up(c, "cannot connect");
}

static err_t on_accepted(void *arg, struct tcp_pcb *pcb, err_t err)
{
    struct listener *l = arg;
    struct conn *c;
    if (err != ERR_OK || pcb == NULL)
        return ERR_VAL;
    c = connection(l->port, l->send, l->receive, l->end);
    begin(c, pcb);
    if (--l->left == 0) {
        tcp_close(l->pcb);
        free(l);
    }
    return fill(c);
}

static void listen_at(int port, int count, long send, long receive, enum end end)
{
    struct listener *l = calloc(1, sizeof *l);
    struct tcp_pcb *pcb = tcp_new_ip_type(IP_GET_TYPE(&own));
    l->port = port, l->left = count, l->send = send, l->receive = receive, l->end = end;
    if (tcp_bind(pcb, &own, (u16_t)port) != ERR_OK || (l->pcb = tcp_listen_with_backlog(pcb, 255)) == NULL) {
        say("failed", port, "cannot listen");
        return;
    }
    tcp_arg(l->pcb, l);
    tcp_accept(l->pcb, on_accepted);
    say("ready", port, "");
}

/* ---- */

static enum end end_of(const char *word)
{
    return *word == 'r' ? END_RESET : *word == 's' ? END_STOP : END_CLOSE;
}

static void start_stack(void *unused)
{
    (void)unused;
    if (IP_IS_V6(&own)) {
        s8_t index = 1;
        netif_add_noaddr(&nif, NULL, start_link, ethernet_input);
        netif_create_ip6_linklocal_address(&nif, 1);
        netif_ip6_addr_set(&nif, index, ip_2_ip6(&own));
        netif_ip6_addr_set_state(&nif, index, IP6_ADDR_PREFERRED);
    } else {
        ip4_addr_t mask, none = {0};
        IP4_ADDR(&mask, 255, 255, 255, 0);
        netif_add(&nif, ip_2_ip4(&own), &mask, &none, NULL, start_link, ethernet_input);
    }
    netif_set_default(&nif);
    netif_set_up(&nif);
}

int main(int argc, char **argv)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    pthread_t reader;
    char line[200], word[20];
    int port, count;
    long send, receive;

    if (argc != 4 || !ipaddr_aton(argv[2], &own) || !ipaddr_aton(argv[3], &peer)) {
        fprintf(stderr, "lwip SOCKET OWN-ADDRESS PEER-ADDRESS\n");
        return 2;
    }
    make_pattern();
    strncpy(to.sun_path, argv[1], sizeof to.sun_path - 1);
    link_fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(link_fd, (struct sockaddr *)&to, sizeof to) < 0) {
        perror(argv[1]);
        return 1;
    }
    tcpip_init(NULL, NULL);
    LOCK_TCPIP_CORE();
    start_stack(NULL);
    UNLOCK_TCPIP_CORE();
    pthread_create(&reader, NULL, frames, NULL);
    while (fgets(line, sizeof line, stdin) != NULL) {
        LOCK_TCPIP_CORE();
        if (sscanf(line, "connect %d %ld %ld %19s", &port, &send, &receive, word) == 4)
            connect_to(port, send, receive, end_of(word));
        else if (sscanf(line, "listen %d %d %ld %ld %19s", &port, &count, &send, &receive, word) == 5)
            listen_at(port, count, send, receive, end_of(word));
        else
            fprintf(stderr, "no command: %s", line);
        UNLOCK_TCPIP_CORE();
    }
    exit(0);
}

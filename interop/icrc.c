/*
 * Checks the invariant CRC of every RoCEv2 packet of a capture (pcap, Ethernet, IPv4 or IPv6): an implementation of its own,
 * bit by bit, from the InfiniBand specification, annex 17.
 *
 *   icrc FILE        prints the number of packets and of wrong ones; exit status 1 if one is wrong or there is none
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ETHERNET = 14, IPV6 = 40, UDP = 8, BTH = 12, ICRC = 4, PORT = 4791 };

static uint32_t crc32(const uint8_t *bytes, size_t length) {
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static unsigned be16(const uint8_t *at) { return at[0] << 8 | at[1]; }

/* The CRC covers 8 bytes of ones, then the packet from the IP header on, with ones in the fields that routers change. */
static int right(const uint8_t *ip, size_t header, size_t length) {
    uint8_t image[8 + 65536];
    memset(image, 0xff, 8);
    memcpy(image + 8, ip, length);
    uint8_t *at = image + 8;
    if (ip[0] >> 4 == 4) {
        at[1] = 0xff;                   /* type of service */
        at[8] = 0xff;                   /* time to live */
        at[10] = at[11] = 0xff;         /* header checksum */
    } else {
        at[0] |= 0x0f;                  /* traffic class and flow label */
        at[1] = at[2] = at[3] = 0xff;
        at[7] = 0xff;                   /* hop limit */
    }
    at[header + 6] = at[header + 7] = 0xff;     /* UDP checksum */
    at[header + UDP + 4] = 0xff;                /* BTH: FECN, BECN, reserved */
    uint32_t crc = crc32(image, 8 + length - ICRC);
    const uint8_t *sent = ip + length - ICRC;   /* least significant byte first */
    return crc == ((uint32_t)sent[0] | (uint32_t)sent[1] << 8 | (uint32_t)sent[2] << 16 | (uint32_t)sent[3] << 24);
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    uint32_t head[6], record[4];
    if (!file || fread(head, sizeof head, 1, file) != 1 || head[0] != 0xa1b2c3d4 || head[5] != 1) {
        fprintf(stderr, "icrc: not a pcap file of Ethernet frames: %s\n", count == 2 ? arguments[1] : "no file");
        return 2;
    }
    static uint8_t frame[1 << 18];
    long packets = 0, wrong = 0, number = 0;
    while (fread(record, sizeof record, 1, file) == 1) {
        number++;
        if (record[2] > sizeof frame || fread(frame, 1, record[2], file) != record[2])
            break;
        const uint8_t *ip = frame + ETHERNET;
        unsigned type = be16(frame + 12);
        size_t header, length;
        if (type == 0x0800 && ip[9] == 17) {
            header = (ip[0] & 15) * 4;
            length = be16(ip + 2);
        } else if (type == 0x86dd && ip[6] == 17) {
            header = IPV6;
            length = IPV6 + be16(ip + 4);
        } else {
            continue;
        }
        if (ETHERNET + length > record[2] || length < header + UDP + BTH + ICRC || be16(ip + header + 2) != PORT)
            continue;
        packets++;
        if (!right(ip, header, length)) {
            wrong++;
            fprintf(stderr, "frame %ld: wrong ICRC\n", number);
        }
    }
    printf("packets: %ld, wrong ICRCs: %ld\n", packets, wrong);
    return packets == 0 || wrong > 0;
}

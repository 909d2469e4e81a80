package io.verbena.tools.pingpong;

import java.net.InetAddress;
import java.time.Duration;

/**
 * What to do; the letters are those of the Linux programs.
 *
 * @param service the program
 * @param bytes -s: length of a message
 * @param iterations -n: number of messages per side
 * @param openEnd whether a server plays on as long as its client does, whatever the number of messages
 * @param depth -r: number of receives posted at a time
 * @param mtuBytes -m: path MTU
 * @param queuePairs -q: number of queue pairs; 1 for all services but {@link PingPongService#SRQ}
 * @param events -e: whether to wait for events instead of polling
 * @param check -c: whether to check the bytes
 * @param serviceLevel -l: service level
 * @param timeout maximum time to wait for the peer
 * @param localAddress local address of the RNIC
 */
public record PingPongSettings(
        PingPongService service,
        int bytes,
        long iterations,
        boolean openEnd,
        int depth,
        int mtuBytes,
        int queuePairs,
        boolean events,
        boolean check,
        int serviceLevel,
        Duration timeout,
        InetAddress localAddress) {}

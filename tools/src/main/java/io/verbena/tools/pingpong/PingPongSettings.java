package io.verbena.tools.pingpong;

import java.net.InetAddress;
import java.time.Duration;

/**
 * What to do; the letters are those of the Linux programs.
 *
 * @param service the program
 * @param messages the messages
 * @param queues the queues of a side
 * @param path the way to the peer
 * @param timeout maximum time to wait for the peer
 */
public record PingPongSettings(PingPongService service, Messages messages, Queues queues, Path path, Duration timeout) {

    /**
     * The messages.
     *
     * @param bytes -s: length of a message
     * @param iterations -n: number of messages per side
     * @param openEnd whether a server plays on as long as its client does, whatever the number of messages
     * @param check -c: whether to check the bytes
     */
    public record Messages(int bytes, long iterations, boolean openEnd, boolean check) {}

    /**
     * The queues of a side.
     *
     * @param depth -r: number of receives posted at a time
     * @param queuePairs -q: number of queue pairs; 1 for all services but {@link PingPongService#SRQ}
     * @param events -e: whether to wait for events instead of polling
     */
    public record Queues(int depth, int queuePairs, boolean events) {}

    /**
     * The way to the peer.
     *
     * @param mtuBytes -m: path MTU
     * @param serviceLevel -l: service level
     * @param localAddress local address of the RNIC
     */
    public record Path(int mtuBytes, int serviceLevel, InetAddress localAddress) {}
}

package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** A listener that records what happens on the channels of an endpoint. */
final class Inbox implements ChannelListener {

    final List<Channel> opened = new ArrayList<>();
    final Deque<byte[]> arrived = new ArrayDeque<>();
    final List<String> ended = new ArrayList<>();

    /** Whether elements are accepted; others stay in their slots. */
    boolean accepts = true;

    /** Runs before an element is recorded. */
    Runnable onArrival = () -> {};

    @Override
    public void opened(Channel channel) {
        opened.add(channel);
    }

    @Override
    public boolean arrived(Channel channel, Element element) {
        onArrival.run();
        if (accepts) {
            arrived.add(element.toBytes());
        }
        return accepts;
    }

    @Override
    public void ended(Channel channel, String reason) {
        ended.add(reason);
    }

    /** Removes the oldest element, which must have this content. */
    void expect(byte[] expected) {
        byte[] found = arrived.removeFirst();
        assertTrue(Arrays.equals(expected, found), "another element of " + found.length + " bytes");
    }
}

package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The accesses to windows of other ranks that are in progress, and the windows themselves. */
public final class RemoteAccesses {

    /** Work numbers from here on are those of accesses; smaller ones are those of messages. */
    private static final long FIRST = 1L << 40;

    /** A window of this rank. */
    public interface LocalWindow {

        /** The connection to a peer has ended; {@code died} are the ranks that are known to be dead. */
        public void gone(Peer peer, String sentence, List<Integer> died);
    }

    private final Outbox outbox;
    private final List<@Nullable RemoteAccess> inProgress = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final List<LocalWindow> windows = new ArrayList<>();

    public RemoteAccesses(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Returns whether a work number is that of an access. */
    public static boolean owns(long workId) {
        return workId >= FIRST;
    }

    public void add(LocalWindow window) {
        windows.add(window);
    }

    public void remove(LocalWindow window) {
        windows.remove(window);
    }

    /** Starts an access; the target counts those that have not ended. */
    public void start(RemoteAccess access) {
        RemoteAccess.Target target = access.target;
        if (!target.failure().isEmpty()) {
            return; // the wait for it fails
        }
        target.onStarted();
        Integer number = free.pollFirst();
        if (number == null) {
            access.id = inProgress.size();
            inProgress.add(access);
        } else {
            access.id = number;
            inProgress.set(number, access);
        }
        Peer peer = target.peer();
        peer.accesses.addLast(access);
        Channel channel = peer.channel;
        if (channel != null && peer.accesses.size() == 1) {
            pump(peer, channel);
        }
        if (!peer.accesses.isEmpty()) {
            outbox.schedule(peer);
        }
    }

    /** Posts what waits for a peer, as far as there is space. */
    public void pump(Peer peer, Channel channel) {
        while (!peer.accesses.isEmpty()
                && peer.accesses.getFirst().post(peer, channel, FIRST + peer.accesses.getFirst().id)) {
            peer.accesses.removeFirst();
        }
    }

    /** A Read, a Write or an atomic operation has completed. If it failed the connection ends. */
    public void transferred(Peer peer, long workId, boolean ok) {
        long number = workId - FIRST;
        RemoteAccess access = number < inProgress.size() ? inProgress.get((int) number) : null;
        if (access == null || access.target.peer() != peer) {
            return; // it has failed already
        }
        peer.transferEnded();
        if (access.onTransferred() && ok) {
            access.finish();
            remove(access);
            access.target.onEnded();
        }
    }

    private void remove(RemoteAccess access) {
        inProgress.set(access.id, null);
        free.addLast(access.id);
    }

    /** The connection to a peer has ended: its window cannot be accessed any more, nor this rank's by it. */
    public void gone(Peer peer, String sentence, List<Integer> died) {
        for (RemoteAccess access : List.copyOf(inProgress.stream()
                .filter(each -> each != null && each.target.peer() == peer)
                .toList())) {
            remove(access);
            access.abandon();
        }
        peer.accesses.clear();
        for (LocalWindow window : windows) {
            window.gone(peer, sentence, died);
        }
    }
}

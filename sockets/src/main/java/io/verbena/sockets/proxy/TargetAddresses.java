package io.verbena.sockets.proxy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The addresses of the target. Its name is looked up at the start, and again while connections are made: every {@link #FRESH_NS}, and at once
 * when no address could be connected. A thread of its own does that, so that connections do not wait for a name server; the addresses that were
 * known before are used meanwhile.
 */
final class TargetAddresses {

    /** Finds the addresses of a name. */
    interface LookUp {
        InetAddress[] of(String name) throws UnknownHostException;
    }

    private static final long FRESH_NS = 30_000_000_000L;

    private final InetSocketAddress target;
    private final LookUp lookUp;
    private final AtomicBoolean lookingUp = new AtomicBoolean();
    private volatile List<InetSocketAddress> known;
    private volatile long knownSinceNs = System.nanoTime();
    private volatile InetSocketAddress preferred;

    /** The addresses of the name that the target was made from. */
    TargetAddresses(InetSocketAddress target, LookUp lookUp) {
        this.target = target;
        this.lookUp = lookUp;
        preferred = target;
        known = List.of(target);
        look();
    }

    /** The addresses to try: first the one that was connected last. */
    List<InetSocketAddress> inOrder() {
        if (System.nanoTime() - knownSinceNs >= FRESH_NS) {
            renew();
        }
        InetSocketAddress first = preferred;
        List<InetSocketAddress> order = new ArrayList<>(known);
        if (order.remove(first)) {
            order.addFirst(first);
        }
        return order;
    }

    /** This address was connected. */
    void connected(InetSocketAddress address) {
        preferred = address;
    }

    /** Looks the name up in another thread, unless that is in progress. */
    void renew() {
        if (lookingUp.compareAndSet(false, true)) {
            boolean begun = false;
            try {
                Thread.ofPlatform().daemon().name("verbena-proxy-names").start(() -> {
                    try {
                        look();
                    } finally {
                        lookingUp.set(false);
                    }
                });
                begun = true;
            } finally {
                if (!begun) {
                    lookingUp.set(false); // the system has no thread left now
                }
            }
        }
    }

    /** A name that is unknown now keeps the addresses that it had. */
    private void look() {
        try {
            List<InetSocketAddress> found = new ArrayList<>();
            for (InetAddress each : lookUp.of(target.getHostString())) {
                found.add(new InetSocketAddress(each, target.getPort()));
            }
            known = List.copyOf(found);
        } catch (UnknownHostException _) {
            // the name server is away, or knows the name no more
        }
        knownSinceNs = System.nanoTime();
    }
}

package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.AccessCheck;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WindowOptions.Scope;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** A model of the bindings of windows according to the rules, compared with the windows. */
final class WindowModel {

    private static final int REGION_BYTES = 4096;
    private static final RemoteRegion NOTHING = new RemoteRegion(0, 0, 0);

    /** Posted work that is not complete; {@code what} is empty for an unbind. */
    private static final class Work {
        final Win window;
        final Optional<Bound> what;
        final int order;

        Work(Win window, Optional<Bound> what, int order) {
            this.window = window;
            this.what = what;
            this.order = order;
        }
    }

    private record Bound(RemoteRegion remote, MemoryRegion region, boolean fails) {}

    private static final class Win {
        final MemoryWindow window;
        final WindowOptions options;
        Optional<Bound> bound = Optional.empty();
        int boundOrder;

        /** The queue pair that the window is bound for. */
        Optional<Peer> owner = Optional.empty();

        Win(MemoryWindow window) {
            this.window = window;
            options = window.options();
        }

        boolean forOne() {
            return options.scope() == Scope.QUEUE_PAIR;
        }

        void bind(Bound what, int order, Peer by) {
            bound = Optional.of(what);
            boundOrder = order;
            owner = forOne() ? Optional.of(by) : Optional.empty();
        }

        void end() {
            bound = Optional.empty();
            owner = Optional.empty();
        }
    }

    private static final class Peer {
        final QueuePair far;
        final SoftQueuePair near;
        final List<Work> posted = new ArrayList<>();
        boolean over;

        Peer(QueuePair far, SoftQueuePair near) {
            this.far = far;
            this.near = near;
        }
    }

    private final ManualWorld world;
    private final SplittableRandom random;
    private final SoftRnic nearRnic;
    private final SoftRnic farRnic;
    private final SoftProtectionDomain near;
    private final SoftProtectionDomain far;
    private final CompletionQueue nearCq;
    private final CompletionQueue farCq;
    private final MemoryRegion sink;
    private final AccessCheck check = new AccessCheck();
    private final List<Win> windows = new ArrayList<>();
    private final List<Peer> peers = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final Set<Integer> issued = new LinkedHashSet<>();
    private final List<RemoteRegion> observed = new ArrayList<>();
    private int order;
    private String last = "";

    WindowModel(ManualWorld world, SplittableRandom random) throws IOException {
        this.world = world;
        this.random = random;
        int engines = 1 + random.nextInt(2);
        nearRnic = world.rnic(RnicOptions.defaults().withEngines(engines));
        farRnic = world.rnic();
        near = (SoftProtectionDomain) nearRnic.allocateProtectionDomain();
        far = (SoftProtectionDomain) farRnic.allocateProtectionDomain();
        nearCq = nearRnic.createCompletionQueue(4096);
        farCq = farRnic.createCompletionQueue(4096);
        sink = far.allocate(REGION_BYTES, LOCAL_WRITE);
        for (int i = 0; i < 2; i++) {
            peers.add(connect());
            regions.add(near.allocate(REGION_BYTES, LOCAL_WRITE, BIND));
            windows.add(window());
        }
    }

    int issued() {
        return issued.size();
    }

    private Peer connect() throws IOException {
        SoftQueuePair softQueuePair = (SoftQueuePair) near.createQueuePair(QueuePairOptions.of(nearCq));
        QueuePair other = far.createQueuePair(QueuePairOptions.of(farCq));
        try (Listener listener = nearRnic.listen(world.address())) {
            farRnic.startConnect(other, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(softQueuePair, ConnectionOptions.defaults());
            world.settle();
        }
        assertEquals(IwarpQueuePairState.RTS, softQueuePair.state());
        return new Peer(other, softQueuePair);
    }

    private Win window() {
        return new Win(near.allocateWindow(WindowOptions.defaults()
                .withScope(random.nextBoolean() ? Scope.DOMAIN : Scope.QUEUE_PAIR)
                .withOneShot(random.nextInt(3) == 0)
                .withFreshKey(random.nextInt(3) != 0)
                .withZeroBased(random.nextInt(3) == 0)));
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    // Steps.

    void step() throws IOException {
        drain();
        while (windows.size() < 3) {
            windows.add(window());
        }
        while (regions.size() < 2) {
            regions.add(near.allocate(REGION_BYTES, LOCAL_WRITE, BIND));
        }
        peers.removeIf(peer -> peer.over && random.nextInt(4) == 0 && closed(peer));
        while (peers.stream().filter(peer -> !peer.over).count() < 2) {
            peers.add(connect());
        }
        Win window = one(windows);
        Peer peer = one(peers);
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> post(window, peer, bind(false));
            case 3 -> post(window, peer, bind(true));
            case 4, 5 -> post(window, peer, Optional.empty());
            case 6 -> bindNow(window, peer, false);
            case 7 -> bindNow(window, peer, true);
            case 8 -> unbindNow(window);
            case 9 -> kill(peer);
            case 10 -> use(window, peer);
            case 11 -> invalidate(window, peer);
            case 12 -> ring(peer);
            default -> ring(peer);
        }
        if (random.nextInt(25) == 0) {
            closeWindow(window);
        } else if (random.nextInt(25) == 0) {
            closeRegion();
        }
    }

    private void drain() {
        for (CompletionQueue cq : List.of(nearCq, farCq)) {
            CompletionCursor cursor = cq.cursor();
            while (cursor.next()) {
                assertTrue(cursor.queuePairNumber() >= 0);
            }
        }
    }

    private boolean closed(Peer peer) {
        peer.near.close();
        peer.far.close();
        return true;
    }

    /**
     * A bind that is still waiting for its key. A bind that fails does so when it is executed, since its region is
     * closed by then.
     */
    private Optional<Bound> bind(boolean fails) {
        MemoryRegion region = fails ? near.allocate(64, LOCAL_WRITE, BIND) : one(regions);
        return Optional.of(new Bound(NOTHING, region, fails));
    }

    private void post(Win window, Peer peer, Optional<Bound> bind) {
        last = "post " + (bind.isEmpty() ? "unbind" : bind.get().fails ? "a bind that fails" : "bind") + " to "
                + peer.near + (peer.over ? ", which has ended" : "");
        WorkRequest request = peer.near.newWorkRequest();
        peer.near.startBatch();
        if (bind.isEmpty()) {
            assertTrue(peer.near.post(request.unbind(window.window)));
            posted(peer, new Work(window, bind, ++order));
        } else {
            MemoryRegion region = bind.get().region;
            long length = 1L + random.nextInt((int) region.length());
            long offset = random.nextInt((int) (region.length() - length + 1));
            assertTrue(peer.near.post(request.bind(window.window, region, offset, length, REMOTE_READ, REMOTE_WRITE)));
            long address = window.options.zeroBased() ? 0 : region.address() + offset;
            int value = window.window.rkey();
            Bound bound = new Bound(new RemoteRegion(address, length, value), region, bind.get().fails);
            if (!peer.over) {
                assertEquals(bound.remote, window.window.remote(), last);
                note(bound.remote);
            }
            posted(peer, new Work(window, Optional.of(bound), ++order));
            if (bind.get().fails) {
                region.close();
            }
        }
        if (peer.over || random.nextBoolean()) {
            ring(peer);
        }
    }

    private static void posted(Peer peer, Work work) {
        if (!peer.over) {
            peer.posted.add(work);
        }
    }

    private void ring(Peer peer) {
        last += ", ring " + peer.near;
        peer.near.ringDoorbell();
        world.settle();
        world.advance(20_000_000);
        boolean ended = false;
        for (Work work : List.copyOf(peer.posted)) {
            Win window = work.window;
            if (ended || !windows.contains(window) && work.what.isEmpty()) {
                continue;
            }
            if (work.what.isEmpty()) {
                if (window.boundOrder <= work.order) {
                    window.end();
                }
            } else if (!windows.contains(window) || !regionThere(work.what.get())) {
                ended = true;
            } else {
                window.bind(work.what.get(), work.order, peer);
            }
        }
        peer.posted.clear();
        if (ended) {
            over(peer);
        }
    }

    private boolean regionThere(Bound bound) {
        return !bound.fails && regions.contains(bound.region);
    }

    private void over(Peer peer) {
        peer.over = true;
        peer.posted.clear();
        for (Win window : windows) {
            if (window.owner.isPresent() && window.owner.get() == peer) {
                window.end();
            }
        }
    }

    private void kill(Peer peer) {
        last = "kill " + peer.near;
        peer.near.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        over(peer);
        if (random.nextBoolean()) {
            peer.near.ringDoorbell();
            world.settle();
        }
    }

    private void bindNow(Win window, Peer peer, boolean fails) {
        last = "bind now" + (fails ? ", which fails" : "");
        MemoryRegion region = one(regions);
        long offset = fails ? REGION_BYTES - 10 : random.nextInt(1000);
        try {
            RemoteRegion remoteRegion = window.forOne()
                    ? window.window.bindFor(peer.near, region, offset, 100, REMOTE_READ, REMOTE_WRITE)
                    : window.window.bind(region, offset, 100, REMOTE_READ, REMOTE_WRITE);
            assertTrue(!fails, last);
            assertTrue(!window.forOne() || !peer.over, "bound for a queue pair that has ended");
            long address = window.options.zeroBased() ? 0 : region.address() + offset;
            RemoteRegion truth = new RemoteRegion(address, 100, remoteRegion.rkey());
            note(truth);
            window.bind(new Bound(truth, region, false), ++order, peer);
        } catch (IllegalArgumentException e) {
            assertTrue(fails, e.getMessage());
        } catch (IllegalStateException e) {
            assertTrue(window.forOne() && peer.over && !fails, e.getMessage());
            window.end();
        }
    }

    private void unbindNow(Win window) {
        last = "unbind now";
        window.window.unbind();
        window.end();
    }

    /** The peer reads through the window. */
    private void use(Win window, Peer peer) {
        if (window.bound.isEmpty() || peer.over || !peer.posted.isEmpty()) {
            return;
        }
        last = "use";
        boolean opens = window.owner.isEmpty() || window.owner.get() == peer;
        drain();
        peer.far.postRead(99, sink, 0, 1, window.bound.get().remote, 0, SIGNALLED);
        world.settle();
        CompletionCursor cursor = farCq.cursor();
        assertTrue(cursor.next(), "the Read completes");
        assertEquals(opens, cursor.status() == CompletionStatus.SUCCESS, "the Read of " + window.bound);
        if (!opens) {
            over(peer);
        } else if (window.options.oneShot()) {
            window.end();
        }
    }

    /** Local work invalidates the bound key. */
    private void invalidate(Win window, Peer peer) {
        if (window.bound.isEmpty() || peer.over || !peer.posted.isEmpty()) {
            return;
        }
        last = "invalidate";
        peer.near.post(peer.near
                .newWorkRequest()
                .localInvalidate(window.bound.get().remote.rkey()));
        ring(peer);
        window.end();
    }

    private void closeWindow(Win window) {
        last += ", close a window";
        window.window.close();
        window.end();
        windows.remove(window);
    }

    private void closeRegion() {
        last += ", close a region";
        MemoryRegion region = regions.remove(random.nextInt(regions.size()));
        region.close();
        for (Win window : windows) {
            if (window.bound.isPresent() && window.bound.get().region == region) {
                window.end();
            }
        }
    }

    private void note(RemoteRegion region) {
        issued.add(region.rkey());
        observed.add(region);
    }

    // Comparison after each step.

    void compare() {
        windows.forEach(window -> issued.add(window.window.rkey()));
        for (int value : issued) {
            Optional<Win> open = windows.stream()
                    .filter(w -> w.bound.isPresent() && w.bound.get().remote.rkey() == value)
                    .findFirst();
            Optional<RemoteRegion> range = open.map(w -> w.bound.get().remote);
            for (Peer peer : peers) {
                boolean may = open.isPresent()
                        && !open.get().options.oneShot()
                        && open.get().owner.map(owner -> owner == peer).orElse(true);
                range.ifPresent(at -> tryAround(at, peer, may));
                if (range.isEmpty()) {
                    observed.stream()
                            .filter(region -> region.rkey() == value)
                            .forEach(region -> tryOne(value, peer, region.address(), 1, false));
                }
            }
        }
        for (Win window : windows) {
            assertEquals(window.bound.isPresent(), window.window.bound(), last);
            assertEquals(expected(window), window.window.remote(), last);
        }
    }

    private void tryAround(RemoteRegion at, Peer peer, boolean may) {
        tryOne(at.rkey(), peer, at.address(), at.length(), may);
        tryOne(at.rkey(), peer, at.address(), at.length() + 1, false);
        tryOne(at.rkey(), peer, at.address() - 1, 1, false);
    }

    private void tryOne(int value, Peer peer, long address, long length, boolean may) {
        for (AccessRight right : List.of(REMOTE_READ, REMOTE_WRITE)) {
            boolean opens = check.check(
                            nearRnic.context().regions(),
                            value,
                            peer.near.protectionNumber(),
                            peer.near.number(),
                            AccessCheck.NO_MESSAGE,
                            address,
                            length,
                            right)
                    .ok();
            assertEquals(may, opens, () -> String.format("%s: key 0x%08x for %s", last, value, peer.near));
        }
    }

    private RemoteRegion expected(Win window) {
        Optional<Work> latest = Optional.empty();
        for (Peer peer : peers) {
            for (Work work : peer.posted) {
                if (work.window == window && (latest.isEmpty() || latest.get().order < work.order)) {
                    latest = Optional.of(work);
                }
            }
        }
        boolean boundSince = window.bound.isPresent() && latest.isPresent() && window.boundOrder > latest.get().order;
        Optional<Bound> what = latest.isPresent() && !boundSince ? latest.get().what : window.bound;
        return what.map(Bound::remote).orElse(NOTHING);
    }
}

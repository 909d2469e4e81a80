package io.verbena.tools.handlers;

import io.verbena.fabric.endnode.Endnode;
import io.verbena.fabric.endnode.San;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The disks of {@code verbena handlers} as nodes of a simulated network: an endnode writes blocks to disks at other endnodes, which fetch them by
 * RDMA Read. All disks write to one file, each to its own part of it.
 */
public final class SanDisks {

    private static final int SERVICE = 7200;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int BATCH = 16;
    private static final RnicOptions RNIC =
            RnicOptions.defaults().withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(2)));

    private final San san;
    private final FileChannel file;
    private final int depth;
    private final List<Disk> disks = new ArrayList<>();
    private final DiskHost host;

    /**
     * Connects an endnode with disks.
     *
     * @param at endnodes with a disk
     * @param depth blocks under way to each disk
     */
    public SanDisks(San san, int hostAt, List<Integer> at, int depth, FileChannel file) throws IOException {
        this.san = san;
        this.file = file;
        this.depth = depth;
        Endnode from = san.open(hostAt, RNIC);
        ProtectionDomain domain = from.rnic().allocateProtectionDomain();
        host = new DiskHost(domain, from.rnic().createCompletionQueue(8 * at.size() * depth), at.size(), depth);
        for (int i = 0; i < at.size(); i++) {
            attach(from, san.open(at.get(i), RNIC), i);
        }
    }

    private void attach(Endnode from, Endnode to, int number) throws IOException {
        CompletionQueue cq = to.rnic().createCompletionQueue(8 * depth);
        Disk disk = new Disk(to.rnic().allocateProtectionDomain(), cq, depth, file);
        disks.add(disk);
        cq.onReady(() -> {
            disk.handle(BATCH);
            cq.requestNotification(Notification.NEXT);
        });
        cq.requestNotification(Notification.NEXT);
        ConnectionOptions options = ConnectionOptions.defaults().withTimeout(PATIENCE);
        try (Listener listener = to.rnic().listen(to.address(SERVICE))) {
            Connection opening = from.rnic().startConnect(host.queuePair(number), to.address(SERVICE), options);
            Connection accepted = listener.nextRequest(PATIENCE)
                    .orElseThrow(() -> new IOException("the disk at " + to + " received no connection request"))
                    .startAccept(disk.queuePair(), options);
            opening.awaitEstablished(PATIENCE);
            accepted.awaitEstablished(PATIENCE);
        }
    }

    /** Starts as many writes as may be under way. */
    public void start() throws Failure {
        host.startAll();
    }

    /**
     * Lets time pass.
     *
     * @param most blocks after which no further write starts
     * @return whether the writes of all blocks were answered
     */
    public boolean run(long forNs, long most) throws Failure {
        long startNs = san.world().elapsedNs();
        long underWay = (long) disks.size() * depth;
        long leftNs = forNs;
        while (host.answered() < Math.max(most, underWay) && leftNs > 0) {
            if (!host.step(host.answered() + underWay < most)) {
                host.cq().await(Duration.ofNanos(leftNs));
            }
            leftNs = forNs - (san.world().elapsedNs() - startNs);
        }
        return host.answered() >= Math.max(most, underWay);
    }

    /** Blocks whose writes were answered. */
    public long answered() {
        return host.answered();
    }

    /** Compares the file with what the endnode has written. */
    public void check() throws Failure, IOException {
        for (Disk disk : disks) {
            if (!disk.trouble().isEmpty()) {
                throw new Failure("A disk failed: " + disk.trouble());
            }
        }
        ByteBuffer found = ByteBuffer.allocate(HandlersSettings.BLOCK_BYTES);
        for (int tag = 0; tag < disks.size() * depth; tag++) {
            found.clear();
            while (found.hasRemaining()) {
                if (file.read(found, (long) tag * HandlersSettings.BLOCK_BYTES + found.position()) < 0) {
                    throw new Failure("The file is shorter than the blocks written to it");
                }
            }
            if (!host.matches(tag, found.flip())) {
                throw new Failure("Block " + tag + " of the file differs from what was written");
            }
        }
    }
}

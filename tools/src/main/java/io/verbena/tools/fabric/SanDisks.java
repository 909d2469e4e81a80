package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.Endnode;
import io.verbena.fabric.endnode.San;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.wire.FabricsType;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * An endnode of a simulated network writes blocks to disks at other endnodes, by the protocol that Linux uses (NVMe over Fabrics): a command
 * by Send, the data by RDMA Read of the disk, the answer by Send. The disks are those of {@code verbena disk serve}.
 */
public final class SanDisks implements AutoCloseable {
    /** Bytes of a Write. */
    public static final int BLOCK_BYTES = 64 * 1024;

    private static final int SERVICE = 4420;
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final int SECTOR_BYTES = 512;
    private static final int SECTORS = BLOCK_BYTES / SECTOR_BYTES;
    private static final int CONFIGURATION = 0x14;
    private static final int ENABLED = 0x46_0001;
    private static final TargetLimits LIMITS = new TargetLimits(2, 1, SanDiskQueue.ENTRIES, 0, 4);
    private static final RnicOptions RNIC =
            RnicOptions.defaults().withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(2)));

    private final San san;
    private final int depth;
    private final List<Attached> disks = new ArrayList<>();
    private final MemoryRegion blocks;
    private final MemoryRegion readBack;
    private long started;
    private long answered;
    private long most;
    private Optional<Failure> failure = Optional.empty();

    private record Attached(DiskServer server, MemoryDevice device, SanDiskQueue queue) {}

    /**
     * Connects an endnode with disks.
     *
     * @param at endnodes with a disk
     * @param depth Writes under way to each disk, each of its own block
     */
    public SanDisks(San san, int hostAt, List<Integer> at, int depth) throws IOException, Failure {
        this.san = san;
        this.depth = depth;
        Endnode from = san.open(hostAt, RNIC);
        ProtectionDomain domain = from.rnic().allocateProtectionDomain();
        blocks = domain.allocate((long) depth * BLOCK_BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);
        readBack = domain.allocate(BLOCK_BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        SplittableRandom random = new SplittableRandom(4711);
        blocks.segment()
                .asByteBuffer()
                .asLongBuffer()
                .put(random.longs(blocks.length() / Long.BYTES).toArray());
        for (int node : at) {
            disks.add(attach(from, domain, san.open(node, RNIC)));
        }
    }

    private Attached attach(Endnode from, ProtectionDomain domain, Endnode to) throws IOException, Failure {
        MemoryDevice device = new MemoryDevice((long) depth * BLOCK_BYTES, SECTOR_BYTES);
        StorageTarget target = new StorageTarget(LIMITS);
        Subsystem subsystem = new Subsystem(NAME, "endnode-" + to.index(), Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, to.index())));
        DiskServer server = DiskServer.inline(
                to.rnic(), target, to.address(SERVICE), () -> san.world().nowNs());
        SanDiskQueue admin = new SanDiskQueue(from, domain, to.address(SERVICE), 0);
        int controller = admin.connect(NAME, 0xffff) & 0xffff;
        admin.call(e -> e.opcode(IoOpcode.FABRICS.code())
                .fabricsType(FabricsType.PROPERTY_SET.code())
                .propertyOffset(CONFIGURATION)
                .propertyValue(ENABLED));
        SanDiskQueue io = new SanDiskQueue(from, domain, to.address(SERVICE), 1);
        io.connect(NAME, controller);
        return new Attached(server, device, io);
    }

    /** Starts as many Writes as may be under way. */
    public void start() throws Failure {
        for (Attached disk : disks) {
            for (int slot = 0; slot < depth; slot++) {
                write(disk, slot);
            }
        }
    }

    private void write(Attached disk, int slot) throws Failure {
        started++;
        disk.queue.send(
                slot,
                e -> e.opcode(IoOpcode.WRITE.code())
                        .namespaceId(1)
                        .firstBlock((long) slot * SECTORS)
                        .blocksMinusOne(SECTORS - 1)
                        .keyed(blocks.address() + (long) slot * BLOCK_BYTES, BLOCK_BYTES, blocks.rkey(), false));
    }

    /**
     * Lets time pass.
     *
     * @param blocks after which no further Write starts
     * @return whether all Writes were answered
     */
    public boolean run(long forNs, long blocks) throws Failure {
        most = blocks;
        boolean done = san.world().runUntil(this::poll, forNs);
        if (failure.isPresent()) {
            throw failure.get();
        }
        return done;
    }

    private boolean poll() {
        try {
            for (Attached disk : disks) {
                disk.queue.poll((slot, _) -> {
                    answered++;
                    if (started < most) {
                        write(disk, slot);
                    }
                });
            }
        } catch (Failure e) {
            failure = Optional.of(e);
        }
        return failure.isPresent() || answered >= most && answered == started;
    }

    /** Writes that were answered. */
    public long answered() {
        return answered;
    }

    /** Reads all blocks of all disks back, and compares them with what was written. */
    public void check() throws Failure {
        for (int i = 0; i < disks.size(); i++) {
            for (int slot = 0; slot < depth; slot++) {
                long first = (long) slot * SECTORS;
                readBack.segment().fill((byte) 0);
                disks.get(i)
                        .queue
                        .call(e -> e.opcode(IoOpcode.READ.code())
                                .namespaceId(1)
                                .firstBlock(first)
                                .blocksMinusOne(SECTORS - 1)
                                .keyed(readBack.address(), BLOCK_BYTES, readBack.rkey(), false));
                MemorySegment written = blocks.segment().asSlice((long) slot * BLOCK_BYTES, BLOCK_BYTES);
                if (written.mismatch(readBack.segment()) >= 0) {
                    throw new Failure("Block " + slot + " of disk " + i + " differs from what was written");
                }
            }
        }
    }

    @Override
    public void close() {
        for (Attached disk : disks) {
            disk.server.close();
            disk.device.close();
        }
    }
}

package io.verbena.tools.disk;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.MappedDevice;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.device.RecordingDevice;
import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/** A disk that is open: its blocks, with the wrappers that faults and a record need. */
final class OpenDisk implements AutoCloseable {
    private final DiskPlan plan;
    private final BlockDevice blocks;
    private final BlockDevice device;

    private OpenDisk(DiskPlan plan, BlockDevice blocks) throws IOException {
        this.plan = plan;
        this.blocks = blocks;
        BlockDevice faulty = DiskFaults.parse(plan.faults()).into(blocks);
        this.device = plan.record().isEmpty()
                ? faulty
                : new RecordingDevice(
                        faulty,
                        FileChannel.open(plan.record().get(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Opens it; {@code allocated} receives how many bytes of a disk in memory are there. */
    static OpenDisk open(DiskPlan plan, LongConsumer allocated) throws IOException, Failure {
        return wrapped(plan, blocks(plan, allocated));
    }

    private static OpenDisk wrapped(DiskPlan plan, BlockDevice blocks) throws IOException {
        try {
            return new OpenDisk(plan, blocks);
        } catch (IOException | RuntimeException e) {
            blocks.close();
            throw e;
        }
    }

    private static BlockDevice blocks(DiskPlan plan, LongConsumer allocated) throws IOException, Failure {
        DiskSpec spec = plan.spec();
        if (spec.inMemory()) {
            return new MemoryDevice(spec.sizeBytes().orElseThrow(), plan.blockBytes(), allocated);
        }
        Path file = spec.file();
        check(spec, plan.readOnly());
        return plan.readOnly()
                ? MappedDevice.openReadOnly(file, plan.blockBytes())
                : MappedDevice.open(file, spec.sizeBytes().orElse(0), plan.blockBytes());
    }

    /** Whether the file can be served. */
    static void check(DiskSpec spec, boolean readOnly) throws IOException, Failure {
        if (spec.inMemory()) {
            return;
        }
        Path file = spec.file();
        if (!Files.exists(file)) {
            if (readOnly || spec.sizeBytes().isEmpty()) {
                throw new Failure("There is no file '" + file + "': name an existing one, or give a size to create it,"
                        + " such as '" + file + ":10G'");
            }
            return;
        }
        if (Files.isDirectory(file)) {
            throw new Failure("'" + file + "' is a folder: name a file in it");
        }
        if (spec.sizeBytes().isEmpty() && Files.size(file) == 0) {
            throw new Failure("The file '" + file + "' is empty: give a size, such as '" + file + ":10G'");
        }
        if (!readOnly && Files.isReadable(file) && !Files.isWritable(file)) {
            throw new Failure("The file '" + file + "' cannot be written: change its permissions, or add --read-only");
        }
    }

    DiskPlan plan() {
        return plan;
    }

    BlockDevice device() {
        return device;
    }

    /** The same file as a larger disk. This one is closed when no host uses it any more. */
    OpenDisk enlarged(long sizeBytes) throws IOException, Failure {
        if (!(blocks instanceof MappedDevice file)
                || plan.readOnly()
                || plan.record().isPresent()) {
            throw new Failure("The size of '" + plan.spec().text()
                    + "' cannot change: only a file that is neither read-only nor recorded can become larger");
        }
        long before = blocks.blocks() * blocks.blockBytes();
        if (sizeBytes <= before) {
            throw new Failure("The disk '" + plan.spec().text() + "' has " + before
                    + " bytes and can become larger only, not " + sizeBytes + " bytes: hosts would lose data");
        }
        return wrapped(plan, file.enlarged(sizeBytes));
    }

    @Override
    public void close() {
        device.close();
    }
}

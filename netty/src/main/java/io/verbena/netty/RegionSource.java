package io.verbena.netty;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * The bytes of a {@link DefaultFileRegion} as a channel, which the socket reads straight into its send buffer or the memory of the peer. The
 * method of the region itself gives them in pieces of 8 KiB of the heap, because the JDK does not know the channel that it writes to.
 *
 * <p>The region shows neither its file nor the place for the number of bytes that were transferred, which Netty's native transports
 * use as well. Where its class is closed to reflection, regions transfer their bytes themselves.
 */
final class RegionSource implements ByteSource {

    private static final Optional<VarHandle> FILE = field("file", FileChannel.class);
    private static final Optional<VarHandle> TRANSFERRED = field("transferred", long.class);

    private final DefaultFileRegion region;
    private final FileChannel file;
    private final VarHandle transferred;
    private boolean used;

    private RegionSource(DefaultFileRegion region, FileChannel file, VarHandle transferred) {
        this.region = region;
        this.file = file;
        this.transferred = transferred;
    }

    private static Optional<VarHandle> field(String name, Class<?> type) {
        try {
            return Optional.of(MethodHandles.privateLookupIn(DefaultFileRegion.class, MethodHandles.lookup())
                    .findVarHandle(DefaultFileRegion.class, name, type));
        } catch (ReflectiveOperationException | RuntimeException _) {
            return Optional.empty();
        }
    }

    /** Opens the file of a region; empty if it cannot be read this way, such as one whose class transfers in a way of its own. */
    static Optional<RegionSource> of(FileRegion region) throws IOException {
        if (region.getClass() != DefaultFileRegion.class || FILE.isEmpty() || TRANSFERRED.isEmpty()) {
            return Optional.empty();
        }
        DefaultFileRegion known = (DefaultFileRegion) region;
        known.open();
        return Optional.of(new RegionSource(known, (FileChannel) FILE.get().get(known), TRANSFERRED.get()));
    }

    /** Whether its bytes are those of this region. */
    boolean isOf(FileRegion other) {
        return region == other;
    }

    /** The bytes that are left. */
    long left() {
        return region.count() - region.transferred();
    }

    void begin() {
        used = false;
    }

    /** Whether it was read since {@link #begin}: there was space. */
    boolean used() {
        return used;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        used = true;
        return file.read(target, region.position() + region.transferred());
    }

    /** The socket has taken bytes. */
    void onTransferred(int bytes) {
        transferred.set(region, region.transferred() + bytes);
    }
}

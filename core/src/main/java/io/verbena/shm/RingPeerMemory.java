package io.verbena.shm;

import io.verbena.base.GrantedMemory;
import io.verbena.port.GrantSource;
import io.verbena.port.PeerMemory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Direct access by the sides of a {@link RingStream}, as its owner uses it. A failure of shared memory ends the stream. */
final class RingPeerMemory implements PeerMemory {

    private final RingStream stream;
    private final Readiness readiness;

    /** What the peer was granted, also after the end of the stream. */
    private @Nullable DirectAccess access;

    RingPeerMemory(RingStream stream, Readiness readiness) {
        this.stream = stream;
        this.readiness = readiness;
    }

    /** What the stream has in shared memory, if it has not failed. */
    private @Nullable Rings usable() {
        return readiness.broken() ? null : stream.rings();
    }

    @Override
    public boolean begin(GrantSource source) {
        Rings rings = usable();
        if (rings == null || !rings.direct.begin(source)) {
            return false;
        }
        access = rings.direct;
        try {
            rings.answer(); // the request may have been read during the set-up
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
        return true;
    }

    @Override
    public @Nullable GrantedMemory obtain(int key) {
        Rings rings = usable();
        if (rings == null) {
            return null;
        }
        try {
            return rings.obtain(key);
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
            return null;
        }
    }

    @Override
    public @Nullable GrantedMemory known(int key) {
        Rings rings = usable();
        return rings == null ? null : rings.direct.known(key);
    }

    @Override
    public boolean refused(int key) {
        Rings rings = usable();
        return rings == null || rings.direct.refused(key);
    }

    @Override
    public long written() {
        Rings rings = stream.rings();
        return rings == null ? 0 : rings.writer.position();
    }

    @Override
    public boolean awaitSettled() {
        Rings rings = usable();
        if (rings == null) {
            return false;
        }
        boolean settled = rings.direct.awaitSettled(rings.writer.position());
        if (!settled) {
            stream.watch();
        }
        return settled;
    }

    @Override
    public boolean settled() {
        Rings rings = usable();
        return rings != null && rings.settled();
    }

    @Override
    public void changed() {
        Rings rings = usable();
        if (rings == null) {
            return;
        }
        try {
            rings.signal(SharedLayout.FOR_BYTES);
        } catch (InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
    }

    @Override
    public void reportProcessed() {
        Rings rings = usable();
        if (rings == null) {
            return;
        }
        try {
            rings.reportProcessed();
        } catch (InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
    }

    @Override
    public void revoke() {
        Rings rings = stream.rings();
        if (rings != null) {
            rings.direct.revoke();
        }
    }

    @Override
    public boolean revoked() {
        Rings rings = stream.rings();
        if (rings != null) {
            return rings.revoked();
        }
        DirectAccess begun = access;
        return begun == null || begun.revoked();
    }
}

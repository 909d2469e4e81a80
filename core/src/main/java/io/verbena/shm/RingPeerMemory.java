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
        Rings mine = usable();
        if (mine == null || !mine.direct.begin(source)) {
            return false;
        }
        access = mine.direct;
        try {
            mine.answer(); // the request may have been read during the set-up
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
        return true;
    }

    @Override
    public @Nullable GrantedMemory obtain(int key) {
        Rings mine = usable();
        if (mine == null) {
            return null;
        }
        try {
            return mine.obtain(key);
        } catch (IOException | InternalError e) {
            readiness.fail(SideWords.failure(e));
            return null;
        }
    }

    @Override
    public @Nullable GrantedMemory known(int key) {
        Rings mine = usable();
        return mine == null ? null : mine.direct.known(key);
    }

    @Override
    public long written() {
        Rings mine = stream.rings();
        return mine == null ? 0 : mine.writer.position();
    }

    @Override
    public boolean awaitSettled() {
        Rings mine = usable();
        if (mine == null) {
            return false;
        }
        boolean settled = mine.direct.awaitSettled(mine.writer.position());
        if (!settled) {
            stream.watch();
        }
        return settled;
    }

    @Override
    public void reportProcessed() {
        Rings mine = usable();
        if (mine == null) {
            return;
        }
        try {
            mine.reportProcessed();
        } catch (InternalError e) {
            readiness.fail(SideWords.failure(e));
        }
    }

    @Override
    public void revoke() {
        Rings mine = stream.rings();
        if (mine != null) {
            mine.direct.revoke();
        }
    }

    @Override
    public boolean revoked() {
        Rings mine = stream.rings();
        if (mine != null) {
            return mine.revoked();
        }
        DirectAccess begun = access;
        return begun == null || begun.revoked();
    }
}

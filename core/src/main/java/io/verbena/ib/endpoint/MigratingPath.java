package io.verbena.ib.endpoint;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PathMigration;
import io.verbena.wire.ib.IbOpcode;
import java.util.Optional;

/**
 * The path of a connection and its alternate path: automatic path migration.
 *
 * <pre>
 *   MIGRATED --- load ---> REARM --- the peer's M is 0 ---> ARMED --- retries are exhausted, migrate, ---> MIGRATED
 *    M = 1                 M = 0                            M = 0     or M = 1 came on the alternate       M = 1
 * </pre>
 *
 * The M bit (MigReq) of each packet reports whether its sender has migrated. A packet that asks to migrate has a PSN that the connection
 * expects; any other sender that knows the addresses could otherwise move it. Source: InfiniBand architecture
 * specification, volume 1, section 17.2.8.
 */
public final class MigratingPath {

    private PacketPath current;
    private Optional<PacketPath> alternate = Optional.empty();
    private PathMigration state = PathMigration.MIGRATED;
    private final PendingEvents events;
    private final int pKey;

    public MigratingPath(PacketPath primary, int pKey, PendingEvents events) {
        current = primary;
        this.pKey = pKey;
        this.events = events;
    }

    /** Begins a packet to the peer; see {@link PacketBuilder#begin}. */
    public boolean begin(PacketBuilder out, IbOpcode opcode, int destQp, int psn, int payloadBytes) {
        if (!out.begin(current, opcode, destQp, psn, payloadBytes)) {
            return false;
        }
        out.bth().m(migReq()).pKey(pKey);
        return true;
    }

    /** The path that packets take. */
    public PacketPath current() {
        return current;
    }

    public PathMigration state() {
        return state;
    }

    /** The M bit of outgoing packets. */
    boolean migReq() {
        return state == PathMigration.MIGRATED;
    }

    /** Loads an alternate path. It is armed when the peer has also loaded one. */
    public void load(PacketPath path) {
        alternate = Optional.of(path);
        state = PathMigration.REARM;
    }

    /** Migrates to the alternate path. Returns false if it is not armed. */
    public boolean migrate() {
        if (state != PathMigration.ARMED) {
            return false;
        }
        current = alternate.orElseThrow();
        alternate = Optional.empty();
        state = PathMigration.MIGRATED;
        events.raise(AsyncEventType.PATH_MIGRATED);
        return true;
    }

    /** Whether a packet comes from the peer, on either path. */
    public boolean knows(Origin origin) {
        return origin.from(current) || alternate.isPresent() && origin.from(alternate.get());
    }

    /** Whether a packet with this M bit asks to migrate. It must be one that only the peer can have sent. */
    public boolean changesBy(boolean m) {
        return state == PathMigration.ARMED && m;
    }

    /** Whether a packet is processed. Its M bit may change the migration state. */
    public boolean admits(Origin origin, boolean m) {
        if (state == PathMigration.ARMED && m) {
            if (origin.from(alternate.orElseThrow())) {
                return migrate();
            }
            if (origin.from(current)) {
                events.raise(AsyncEventType.PATH_MIGRATION_FAILED);
            }
            return false;
        }
        if (!origin.from(current)) {
            return false;
        }
        if (state == PathMigration.REARM && !m) {
            state = PathMigration.ARMED;
        }
        return true;
    }

    public long stateDigest(long digest) {
        return Digest.mix(digest, state.ordinal());
    }
}

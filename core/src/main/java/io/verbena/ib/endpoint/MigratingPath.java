package io.verbena.ib.endpoint;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.settings.AddressPair;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PathMigration;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import java.util.List;
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

    /** The paths to the current destination by their entropy; the current one is among them. */
    private final PacketPath[] routes;

    /** Between further addresses of both sides, by number from 1. Packets come from there. */
    private PacketPath[] others = {};

    /** The numbers that paths use, as bits. */
    private int used;

    private Optional<PacketPath> alternate = Optional.empty();
    private PathMigration state = PathMigration.MIGRATED;
    private final PendingEvents events;
    private final int pKey;

    public MigratingPath(PacketPath primary, int pKey, PendingEvents events) {
        this(primary, 1, pKey, events);
    }

    /**
     * A path of a connection that sprays its packets.
     *
     * @param count number of paths to each destination
     */
    public MigratingPath(PacketPath primary, int count, int pKey, PendingEvents events) {
        routes = new PacketPath[count];
        current = primary;
        spread(primary);
        this.pKey = pKey;
        this.events = events;
    }

    private void spread(PacketPath to) {
        for (int i = 0; i < routes.length; i++) {
            routes[i] = to.withEntropy(i);
        }
        current = routes[0];
    }

    /** Number of paths to the destination. */
    public int count() {
        return routes.length;
    }

    /** The next packets take the path of this number, or one that stands for it if there are fewer. */
    public void take(int entropy) {
        current = routes[entropy % routes.length];
    }

    /** Packets of the peer may come from further addresses from now on. Packets go there after {@link #use}. */
    public void others(List<AddressPair> pairs) {
        others = pairs.stream().map(this::other).toArray(PacketPath[]::new);
    }

    private PacketPath other(AddressPair pair) {
        PacketPath first = routes[0];
        PacketPath to =
                pair.first() ? first : new PacketPath(pair.high(), pair.low(), first.port(), first.trafficClass());
        return to.from(pair.source());
    }

    /** Whether a packet comes from the further address of this number. */
    public boolean fromOther(int number, Origin origin) {
        return number >= 1 && number <= others.length && origin.from(others[number - 1]);
    }

    /** The next packet goes to the further address of this number. */
    public void takeOther(int number) {
        current = others[number - 1];
    }

    /** The paths whose number leaves this remainder lead to the further address from now on. */
    public void use(int number) {
        used |= 1 << number;
        for (int i = number; i < routes.length; i += others.length + 1) {
            routes[i] = others[number - 1].withEntropy(i);
        }
    }

    /** Begins a request that names its path and its place; see {@link PacketBuilder#beginSprayed}. */
    public boolean beginSprayed(PacketBuilder out, IbOpcode opcode, int destQp, int psn, int payloadBytes) {
        if (!out.beginSprayed(current, opcode, destQp, psn, payloadBytes)) {
            return false;
        }
        out.bth().m(migReq()).pKey(pKey);
        return true;
    }

    /** Begins a packet to the peer; see {@link PacketBuilder#begin}. */
    public boolean begin(PacketBuilder out, IbOpcode opcode, int destQp, int psn, int payloadBytes) {
        if (!out.begin(current, opcode, destQp, psn, payloadBytes)) {
            return false;
        }
        out.bth().m(migReq()).pKey(pKey);
        return true;
    }

    /**
     * Begins a packet of a message to the peer, whose flags are known.
     *
     * @param tail the last part of its BTH, {@link Bth#tail}
     */
    public boolean begin(
            PacketBuilder out, IbOpcode opcode, boolean solicited, int destQp, int tail, int payloadBytes) {
        return out.begin(current, opcode, Bth.head(opcode, solicited, migReq(), pKey, destQp), tail, payloadBytes);
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
        spread(alternate.orElseThrow());
        used = 0;
        alternate = Optional.empty();
        state = PathMigration.MIGRATED;
        events.raise(AsyncEventType.PATH_MIGRATED);
        return true;
    }

    /** Whether a packet comes from the peer, on either path. */
    public boolean knows(Origin origin) {
        return ofPeer(origin) || alternate.isPresent() && origin.from(alternate.get());
    }

    private boolean ofPeer(Origin origin) {
        boolean found = origin.from(routes[0]);
        for (int i = 0; i < others.length && !found; i++) {
            found = origin.from(others[i]);
        }
        return found;
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
            if (ofPeer(origin)) {
                events.raise(AsyncEventType.PATH_MIGRATION_FAILED);
            }
            return false;
        }
        if (!ofPeer(origin)) {
            return false;
        }
        if (state == PathMigration.REARM && !m) {
            state = PathMigration.ARMED;
        }
        return true;
    }

    /** Whether packets with these addresses are processed, whatever their M bit is, and change nothing here. */
    public boolean settled(Origin origin) {
        return state == PathMigration.MIGRATED && origin.from(current);
    }

    public long stateDigest(long digest) {
        return Digest.mix(digest, used << 2 | state.ordinal());
    }
}

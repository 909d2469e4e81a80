package io.verbena.shm;

import io.verbena.base.GrantedMemory;
import io.verbena.base.SharedGrants;
import io.verbena.port.GrantSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Access of the two sides of a connection to memory of each other without their engines: {@link SharedGrants} has the protocol of
 * one region, and this class what a connection has of it, as the side that accesses and as the side that permits.
 *
 * <pre>
 *   side that accesses                            side that permits
 *   request: key -------------------------------> looks the key up, issues a grant
 *   maps the region for writing   &lt;-------------- grant: region, slot, number, rights; or a refusal
 * </pre>
 *
 * One thread at a time.
 */
final class DirectAccess {

    private static final int NO_KEY = 0;

    /** Keys that were refused and are remembered. */
    private static final int REFUSALS = 64;

    private final SharedBlocks blocks;
    private final ByteBuffer memory;
    private final boolean enabled;
    private final int processedHere;
    private final int processedThere;

    // The side that accesses.

    private final @Nullable GrantedMemory[] granted = new GrantedMemory[SharedLayout.SLOTS];
    private final SharedBlocks.@Nullable Shared[] mapped = new SharedBlocks.Shared[SharedLayout.SLOTS];
    private final int[] refused = new int[REFUSALS];
    /** The one that was known last: most programs access one region. */
    private @Nullable GrantedMemory recent;

    private int requested = NO_KEY;
    private boolean awaitsSettling;

    // The side that permits.

    private final List<Own> issued = new ArrayList<>();
    private final GrantRecord answer = new GrantRecord();
    private @Nullable GrantSource source;
    private int unanswered = NO_KEY;
    private boolean answerReady;
    private long processed;

    /** The slot that this connection has in a region of this side. */
    private record Own(SharedGrants grants, int slot) {}

    DirectAccess(SharedBlocks blocks, ByteBuffer memory, boolean initiator, boolean enabled) {
        this.blocks = blocks;
        this.memory = memory;
        this.enabled = enabled;
        processedHere = SharedLayout.word(initiator, SharedLayout.PROCESSED);
        processedThere = SharedLayout.word(!initiator, SharedLayout.PROCESSED);
    }

    /** Begins to answer requests. Returns whether both sides were opened for direct access. */
    boolean begin(GrantSource grantSource) {
        source = grantSource;
        return enabled;
    }

    // The side that accesses.

    /** Memory that a key opens; null if there is no valid grant for it. */
    @Nullable
    GrantedMemory known(int key) {
        GrantedMemory last = recent;
        if (last != null && last.key() == key && last.live()) {
            return last;
        }
        for (GrantedMemory one : granted) {
            if (one != null && one.key() == key && one.live()) {
                recent = one;
                return one;
            }
        }
        return null;
    }

    /** Whether the peer has refused a key, or would. */
    boolean refused(int key) {
        return !enabled || refused[key & REFUSALS - 1] == key;
    }

    /** Returns memory that a key opens; null if there is no valid grant for it. Then the peer is asked, if that makes sense. */
    @Nullable
    GrantedMemory obtain(int key, RingWriter out) throws IOException {
        GrantedMemory known = known(key);
        if (known != null) {
            return known;
        }
        for (int i = 0; i < granted.length; i++) {
            GrantedMemory one = granted[i];
            if (one != null && one.key() == key) {
                if (one.live()) {
                    return one;
                }
                forget(i);
            }
        }
        if (enabled && requested == NO_KEY && key != NO_KEY && refused[key & REFUSALS - 1] != key && out.request(key)) {
            requested = key;
        }
        return null;
    }

    /** The peer answers a request. */
    void answered(GrantRecord record) throws IOException {
        int key = record.key();
        if (!enabled || key == NO_KEY || key != requested) {
            throw new IOException("The peer grants a key that was not requested");
        }
        requested = NO_KEY;
        if (!open(record)) {
            refused[key & REFUSALS - 1] = key;
        }
    }

    private boolean open(GrantRecord record) {
        int at = freePlace();
        int length = record.length();
        GrantedMemory.Terms terms = record.terms();
        if (at == SharedGrants.NONE || !SharedBlock.valid(length) || !terms.valid()) {
            return false;
        }
        try {
            SharedBlocks.Shared opened =
                    blocks.openShared(record.process(), record.handle(), length, record.nonceHigh(), record.nonceLow());
            mapped[at] = opened;
            granted[at] = new GrantedMemory(opened.region(), opened.page(), terms);
            return true;
        } catch (IOException e) {
            return false; // the engine of the peer does the work
        }
    }

    /** A place without a grant, or whose grant was revoked. */
    private int freePlace() {
        int free = SharedGrants.NONE;
        for (int i = 0; i < granted.length; i++) {
            GrantedMemory one = granted[i];
            if (one != null && !one.live()) {
                forget(i);
            }
            free = granted[i] == null ? i : free;
        }
        return free;
    }

    private void forget(int place) {
        SharedBlocks.Shared mapping = mapped[place];
        granted[place] = null;
        mapped[place] = null;
        recent = null;
        if (mapping != null) {
            mapping.close();
        }
    }

    /**
     * Waits until the peer has processed everything up to this position, which is all: returns true if it has. If not, {@link
     * #settles} is true when it has.
     */
    boolean awaitSettled(long written) {
        boolean settled = settled(written);
        awaitsSettling = !settled;
        return settled;
    }

    /** Whether the peer has processed everything up to this position. */
    boolean settled(long written) {
        return SharedLayout.load(memory, processedThere) == written;
    }

    /** Whether {@link #awaitSettled} was false last. */
    boolean awaitsSettling() {
        return awaitsSettling;
    }

    /** Whether something is awaited that has come true. */
    boolean settles(long written) {
        return awaitsSettling && settled(written);
    }

    void taken() {
        awaitsSettling = false;
    }

    // The side that permits.

    /** The peer requests a grant. It requests one at a time. */
    void requested(int key) throws IOException {
        if (!enabled || key == NO_KEY || unanswered != NO_KEY) {
            throw new IOException("The peer requests a grant out of turn");
        }
        unanswered = key;
    }

    /** Answers a request of the peer, if there is one and the ring has space. Returns whether it has written an answer. */
    boolean answer(RingWriter out) throws IOException {
        GrantSource grantSource = source;
        if (unanswered == NO_KEY || grantSource == null) {
            return false;
        }
        if (!answerReady) {
            fillAnswer(grantSource, unanswered);
            answerReady = true;
        }
        if (!out.answer(answer)) {
            return false;
        }
        unanswered = NO_KEY;
        answerReady = false;
        return true;
    }

    private void fillAnswer(GrantSource grantSource, int key) {
        answer.refusal(key);
        grantSource.terms(key).ifPresent(terms -> {
            SharedBlock block = blockOf(terms);
            if (block != null) {
                issue(terms, key).ifPresent(grant -> answer.grant(grant, block));
            }
        });
    }

    private @Nullable SharedBlock blockOf(GrantSource.Terms terms) {
        if (terms.length() > SharedBlock.MOST_BYTES) {
            return null;
        }
        SharedBlock block = blocks.table().at(terms.address(), (int) terms.length());
        return block != null && block.length() == terms.length() ? block : null;
    }

    @SuppressWarnings("ReferenceEquality") // the grants of a region have identity
    private Optional<GrantedMemory.Terms> issue(GrantSource.Terms terms, int key) {
        SharedGrants grants = terms.grants();
        // An entry keeps the memory of its region from being unmapped.
        issued.removeIf(each -> each.grants().closed());
        Optional<Own> own =
                issued.stream().filter(each -> each.grants() == grants).findFirst();
        return grants.issue(key, own.map(Own::slot).orElse(SharedGrants.NONE)).map(grant -> {
            if (own.isEmpty()) {
                issued.add(new Own(grants, grant.slot()));
            }
            return new GrantedMemory.Terms(key, terms.base(), terms.rights(), grant.slot(), grant.number());
        });
    }

    /** Publishes that everything up to this position has been processed. Returns whether that is news to the peer. */
    boolean reportProcessed(long consumed) {
        if (!enabled || consumed == processed) {
            return false;
        }
        processed = consumed;
        SharedLayout.store(memory, processedHere, consumed);
        return true;
    }

    /** Revokes what the peer may access. {@link #revoked} follows. */
    void revoke() {
        for (Own own : issued) {
            own.grants().revoke(own.slot());
        }
    }

    /** Whether the peer accesses nothing since {@link #revoke}. */
    boolean revoked() {
        boolean all = true;
        for (Own own : issued) {
            all &= own.grants().settled(own.slot());
        }
        return all;
    }

    /** Regions of this side that the peer was granted. */
    int issued() {
        return issued.size();
    }

    /**
     * The connection has ended. {@link #revoked} still tells whether the peer accesses what it was granted.
     *
     * @param peerGone whether the peer has closed its side or has died
     */
    void close(boolean peerGone) {
        source = null;
        for (Own own : issued) {
            own.grants().end(own.slot(), peerGone);
        }
        for (int i = 0; i < granted.length; i++) {
            forget(i);
        }
    }
}

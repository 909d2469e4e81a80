package io.verbena.iwarp;

import io.verbena.base.GrantedMemory;
import org.jspecify.annotations.Nullable;

/** How the sides of a stream access memory of each other without the engine of its owner; see {@link DirectWork}. */
public interface DirectPath {

    /** Each engine executes what the peer requests. */
    DirectPath NONE = new DirectPath() {
        @Override
        public @Nullable GrantedMemory obtain(int key) {
            return null;
        }

        @Override
        public @Nullable GrantedMemory known(int key) {
            return null;
        }

        @Override
        public boolean refused(int key) {
            return true;
        }

        @Override
        public boolean settled() {
            return false;
        }

        @Override
        public long written() {
            return 0;
        }

        @Override
        public boolean awaitSettled() {
            return false;
        }

        @Override
        public void changed() {}

        @Override
        public void revoke() {}
    };

    /**
     * Returns memory of the peer that a key opens; null if there is no valid grant. Then the peer is asked for one, if
     * possible.
     */
    @Nullable
    GrantedMemory obtain(int key);

    /** The same without asking the peer: uses the stream for nothing, so that it may be called outside of a turn. */
    @Nullable
    GrantedMemory known(int key);

    /** Whether no grant can be expected for a key. */
    boolean refused(int key);

    /** Whether the peer has processed everything that was written, and has not ended. Changes nothing. */
    boolean settled();

    /** A number that grows with everything that is written to the stream. */
    long written();

    /**
     * Waits until the peer has processed everything that was written, without blocking: returns true if it has. If not, the owner
     * of the stream is called when it has.
     */
    boolean awaitSettled();

    /** Memory of the peer was written: wakes the peer if it sleeps. */
    void changed();

    /** Revokes all that the peer was granted so far: it has other rights from now on. */
    void revoke();
}

package io.verbena.hardware.provider.survival;

import io.verbena.hardware.provider.cm.CmEvent;
import java.util.Optional;

/** A connection that its peer may continue with RESUME, as the connection manager sees it. */
public interface Resumable {

    /**
     * The message in the private data of a request that states the id of this connection; empty if its code is wrong or
     * a number in it is impossible.
     */
    Optional<AdapterResume> open(byte[] privateData);

    /**
     * RESUME has arrived in a request, which the connection answers or rejects, later and on another thread; the event
     * loop calls this.
     *
     * @param resume what {@link #open} has found in the request
     */
    void onResume(CmEvent request, AdapterResume resume);
}

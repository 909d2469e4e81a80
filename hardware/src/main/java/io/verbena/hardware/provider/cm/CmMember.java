package io.verbena.hardware.provider.cm;

/** What has an rdma_cm_id, as the connection manager sees it. */
public interface CmMember {

    /** The kinds, in the order in which the close of the RNIC ends them: no request arrives after the listeners have ended. */
    enum Kind {
        LISTENER,
        REQUEST,
        EXCHANGE,
        CONNECTION
    }

    Kind kind();

    /** An event of the id, for a listener a request; the event loop calls this. */
    void onEvent(CmEvent event);

    /** The RNIC is closing. */
    void end();
}

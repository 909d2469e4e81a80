package io.verbena.sockets.nio.opening;

/**
 * A thread of this module, which no caller owns. An interrupt has no effect: programs interrupt all threads that they find. With the status set, no
 * selection would wait any more.
 */
public final class OwnThread extends Thread {

    public OwnThread(Runnable body, String name) {
        super(null, body, name, 0, false);
        setDaemon(true);
    }

    @Override
    public void interrupt() {}
}

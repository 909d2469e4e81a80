package io.verbena.base;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** What goes to the system's log: code of the application, or our own, that threw. */
public final class Log {

    private static final Logger LOGGER = System.getLogger("io.verbena.rnic");

    private Log() {}

    /** Our own code failed. */
    public static void bug(String where, Throwable e) {
        log(Level.ERROR, "An error in Verbena itself while " + where, e);
    }

    /** What an operator should know about peers; rare. */
    public static void notice(String sentence) {
        try {
            LOGGER.log(Level.WARNING, sentence);
        } catch (Throwable _) {
            // As below: the caller is an engine.
        }
    }

    /** A handler or listener of the application failed. */
    public static void callback(String what, Throwable e) {
        log(Level.WARNING, what + " threw; the RNIC continues", e);
    }

    /** Exceptions of a logger, which may belong to the application, are ignored. */
    private static void log(Level level, String sentence, Throwable e) {
        try {
            LOGGER.log(level, sentence, e);
        } catch (Throwable again) {
            // There is no other place to report it.
        }
    }
}

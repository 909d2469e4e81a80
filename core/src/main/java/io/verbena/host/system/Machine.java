package io.verbena.host.system;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Determines whether the calls of {@link Linux} can be used on this machine. */
public final class Machine {

    private static final String ARCHITECTURE = System.getProperty("os.arch", "");

    public static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

    public static final boolean X86 = ARCHITECTURE.equals("amd64") || ARCHITECTURE.equals("x86_64");

    private static final AtomicBoolean NOTED = new AtomicBoolean();

    private Machine() {}

    /** Logs once per process that native access is all that is missing: everything works without it, but more slowly. */
    public static void noteMissingAccess() {
        if (LINUX && !obstacleToLinux().isEmpty() && supported() && NOTED.compareAndSet(false, true)) {
            System.getLogger("io.verbena.host")
                    .log(
                            Level.WARNING,
                            "Native access is not enabled, so that connections use the sockets of the JDK and neither shared memory"
                                    + " nor direct system calls, which are faster. Start Java with " + flag()
                                    + ", or add 'Enable-Native-Access: ALL-UNNAMED' to the manifest of the jar that is"
                                    + " started.");
        }
    }

    private static boolean supported() {
        return X86 || ARCHITECTURE.equals("aarch64");
    }

    private static String flag() {
        Module module = Machine.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    /** Why Linux cannot be called directly, one sentence; empty when it can. */
    public static String obstacleToLinux() {
        if (!LINUX) {
            return "Direct system calls are used on Linux only.";
        }
        if (!supported()) {
            return "Direct system calls are used on x86-64 and AArch64 only.";
        }
        return Machine.class.getModule().isNativeAccessEnabled()
                ? ""
                : "Native access is not enabled: start Java with " + flag() + " to use direct system calls.";
    }
}

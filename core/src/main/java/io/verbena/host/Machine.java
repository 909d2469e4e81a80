package io.verbena.host;

/** Determines whether the calls of {@link Linux} can be used on this machine. */
final class Machine {

    private static final String ARCHITECTURE = System.getProperty("os.arch", "");

    static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

    static final boolean X86 = ARCHITECTURE.equals("amd64") || ARCHITECTURE.equals("x86_64");

    private Machine() {}

    /** Why Linux cannot be called directly, one sentence; empty when it can. */
    static String obstacleToLinux() {
        if (!LINUX) {
            return "Direct system calls are used on Linux only.";
        }
        if (!X86 && !ARCHITECTURE.equals("aarch64")) {
            return "Direct system calls are used on x86-64 and AArch64 only.";
        }
        Module module = Machine.class.getModule();
        return module.isNativeAccessEnabled()
                ? ""
                : "Native access is not enabled: start Java with --enable-native-access="
                        + (module.isNamed() ? module.getName() : "ALL-UNNAMED")
                        + " to use direct system calls.";
    }
}

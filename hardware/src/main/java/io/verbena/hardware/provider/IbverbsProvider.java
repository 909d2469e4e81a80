package io.verbena.hardware.provider;

import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.hardware.provider.device.Adapter;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Adapters that libibverbs knows. */
public final class IbverbsProvider implements RnicProvider {

    /** Below the software RNIC: an adapter must not change what programs do without being chosen. */
    private static final int PRIORITY = -100;

    private final Supplier<RdmaLibraries> libraries;
    private final Obstacles obstacles;
    private final boolean critical;

    /** For {@link java.util.ServiceLoader}. */
    public IbverbsProvider() {
        this(Loaded::libraries, new Obstacles(), true);
    }

    /**
     * Over other libraries, for tests.
     *
     * @param critical whether they are native code, see {@link io.verbena.hardware.abi.ContextCalls}
     */
    IbverbsProvider(Supplier<RdmaLibraries> libraries, Obstacles obstacles, boolean critical) {
        this.libraries = libraries;
        this.obstacles = obstacles;
        this.critical = critical;
    }

    /** The libraries of the machine, loaded at the first use. */
    private static final class Loaded {
        private static Optional<RdmaLibraries> libraries = Optional.empty();

        static synchronized RdmaLibraries libraries() {
            if (libraries.isEmpty()) {
                Obstacles.checkKernel(); // most machines have no adapter, and loading takes longer than this
                libraries = Optional.of(RdmaLibraries.load());
            }
            return libraries.get();
        }
    }

    @Override
    public String name() {
        return AdapterFacts.PROVIDER;
    }

    @Override
    public String description() {
        return "An RDMA adapter, through libibverbs and librdmacm.";
    }

    @Override
    public int priority() {
        return PRIORITY;
    }

    @Override
    public List<String> devices() {
        try {
            return Adapter.devices(libraries.get());
        } catch (VerbsException e) {
            return List.of(); // obstacle() states why
        }
    }

    @Override
    public int maxEngines() {
        return 1;
    }

    @Override
    public String obstacle() {
        return obstacles.first(libraries);
    }

    @Override
    public RnicAttributes describe(RnicOptions options) {
        try (Adapter adapter = adapter(options)) {
            return adapter.facts().attributes(0);
        }
    }

    @Override
    public Rnic open(RnicOptions options) {
        if (!options.provider().isEmpty() && !options.provider().equals(AdapterFacts.PROVIDER)) {
            throw new VerbsException("The provider " + AdapterFacts.PROVIDER + " cannot open an RNIC of provider '"
                    + options.provider() + "'.");
        }
        if (!options.captureFile().isEmpty()) {
            throw new VerbsException("An adapter shows its packets to no program, so that they cannot be captured here;"
                    + " capture at a switch, or use the provider roce.");
        }
        String obstacle = obstacle();
        if (!obstacle.isEmpty()) {
            throw new VerbsException(obstacle);
        }
        Adapter adapter = adapter(options);
        boolean opened = false;
        try {
            Rnic rnic = HardwareRnic.open(adapter, options);
            opened = true;
            return rnic;
        } finally {
            if (!opened) {
                adapter.close();
            }
        }
    }

    private Adapter adapter(RnicOptions options) {
        return Adapter.open(libraries.get(), options.device(), critical);
    }
}

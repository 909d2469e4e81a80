package io.verbena.messaging.launch;

import io.verbena.messaging.launch.MeetingPlace.FirstRank;
import io.verbena.messaging.launch.MeetingPlace.Listening;
import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The launchers whose ranks find each other, in the order in which their variables are looked for: a launcher that is started by another one
 * comes first.
 */
public enum LaunchEnvironment {

    /** Our own: a server waits for the ranks. */
    VERBENA("verbena run", List.of(JobVariables.RANK), "docs/messaging.md, Ranks") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            int size = variables.number(JobVariables.SIZE);
            return Placement.of(
                    variables.number(JobVariables.RANK),
                    size,
                    size == 1
                            ? new MeetingPlace.Alone()
                            : new MeetingPlace.Server(variables.textOr(JobVariables.ADDRESS, "")));
        }
    },

    /** A socket to the launcher is open in the rank. */
    PMI("MPICH's mpiexec (Hydra), srun --mpi=pmi2", List.of("PMI_FD"), "PMI-1: Flux RFC 13; PMI-2: pmi2.h of MPICH") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            int rank = variables.number("PMI_RANK");
            int size = variables.number("PMI_SIZE");
            Placement.check(rank, size);
            if (size == 1) {
                return Placement.of(rank, size, new MeetingPlace.Alone());
            }
            LauncherWire wire = new LauncherWire(new DescriptorBytes("PMI_FD", variables.number("PMI_FD")));
            Pmi.Dialogue one = new PmiOne(wire);
            Pmi.Dialogue two = new PmiTwo(wire, variables.textOr("PMI_JOBID", "0"), rank);
            boolean second = variables.has("PMI_JOBID"); // Slurm sets it, Hydra does not
            NoticeBoard board = new Pmi(wire, second ? two : one, second ? one : two);
            boolean oneHost = variables.numberOr("MPI_LOCALNRANKS", 0) == size || slurmOnOneHost(variables);
            return Placement.of(rank, size, new MeetingPlace.Announced(board, oneHost));
        }
    },

    /** The launcher listens at a port, and tells there the rank too. */
    PMI_PORT("mpiexec -pmi-port (Hydra)", List.of("PMI_PORT", "PMI_ID"), "PMI-1: Flux RFC 13") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            LauncherWire wire = new LauncherWire(new SocketBytes("PMI_PORT", variables.text("PMI_PORT")));
            wire.until(System.nanoTime() + 30_000_000_000L);
            PmiOne dialogue = new PmiOne(wire);
            int[] numbers = dialogue.numbers(variables.number("PMI_ID"));
            Placement.check(numbers[0], numbers[1]);
            // Also a single rank takes leave of its launcher, which otherwise believes that it was lost.
            boolean oneHost = variables.numberOr("MPI_LOCALNRANKS", 0) == numbers[1];
            NoticeBoard board = new Pmi(wire, dialogue, new PmiTwo(wire, "0", numbers[0]));
            return Placement.of(numbers[0], numbers[1], new MeetingPlace.Announced(board, oneHost));
        }
    },

    /** Without PMIx: on one machine a file in the folder of the job, else where VERBENA_BOOTSTRAP says. */
    OPEN_MPI(
            "Open MPI's mpirun",
            List.of("OMPI_COMM_WORLD_RANK"),
            "Open MPI's documentation, Environment variables set for processes") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            int rank = variables.number("OMPI_COMM_WORLD_RANK");
            int size = variables.number("OMPI_COMM_WORLD_SIZE");
            Placement.check(rank, size);
            boolean oneHost = variables.numberOr("OMPI_COMM_WORLD_LOCAL_SIZE", 0) == size;
            MeetingPlace place;
            if (!variables.has(JobVariables.ADDRESS)
                    && oneHost
                    && variables.hasAll(List.of("PMIX_SERVER_TMPDIR", "PMIX_NAMESPACE"))) {
                place = new MeetingPlace.Announced(
                        SharedFile.of(variables.text("PMIX_SERVER_TMPDIR"), variables.text("PMIX_NAMESPACE")), true);
            } else {
                place = named(variables.textOr(JobVariables.ADDRESS, ""));
            }
            return Placement.of(rank, size, place);
        }
    },

    /** PyTorch's launcher, and others that set its names. */
    TORCHRUN(
            "torchrun",
            List.of("RANK", "WORLD_SIZE", "MASTER_ADDR"),
            "PyTorch's documentation, torchrun, Environment Variables") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            int size = variables.number("WORLD_SIZE");
            // The agent of torchrun listens at the port itself.
            boolean taken = variables.textOr("TORCHELASTIC_USE_AGENT_STORE", "").equals("True");
            int port = variables.has(JobVariables.PORT)
                    ? variables.port(JobVariables.PORT)
                    : variables.port("MASTER_PORT") + (taken ? 1 : 0);
            boolean oneHost = variables.numberOr("LOCAL_WORLD_SIZE", 0) == size;
            return Placement.of(
                    variables.number("RANK"), size, first(variables, variables.text("MASTER_ADDR"), port, oneHost));
        }
    },

    /** Slurm without PMI: the first node of the step, and a port that follows from the number of the job. */
    SLURM(
            "srun",
            List.of("SLURM_PROCID", "SLURM_STEP_ID"),
            "Slurm's documentation, srun, Output environment variables") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            int size = variables.numberOr("SLURM_STEP_NUM_TASKS", -1);
            if (size < 0) {
                size = variables.number("SLURM_NTASKS");
            }
            String list = variables.textOr("SLURM_STEP_NODELIST", variables.textOr("SLURM_JOB_NODELIST", ""));
            List<String> nodes = NodeList.expand(list.isEmpty() ? "localhost" : list);
            int job = variables.numberOr("SLURM_JOB_ID", 0);
            int derived = 20_000 + Math.floorMod(job * 31 + variables.number("SLURM_STEP_ID"), 10_000);
            int port = variables.has(JobVariables.PORT) ? variables.port(JobVariables.PORT) : derived;
            return Placement.of(
                    variables.number("SLURM_PROCID"),
                    size,
                    first(variables, nodes.getFirst(), port, slurmOnOneHost(variables)));
        }
    },

    /** Several Indexed Jobs of Kubernetes; its manifest names the pod of rank 0. */
    JOB_SET(
            "Kubernetes, a JobSet",
            List.of("JOB_COMPLETION_INDEX", JobVariables.JOB_INDEX),
            "JobSet's documentation, Coordinator; docs/launchers.md has the manifest") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            int pods = variables.number(JobVariables.JOB_PODS);
            int pod = variables.number("JOB_COMPLETION_INDEX");
            int job = variables.number(JobVariables.JOB_INDEX);
            if (pod < 0 || pod >= pods || job < 0 || job > Integer.MAX_VALUE / pods - 1) {
                throw new JobStartException("There is no pod " + pod + " in job " + job
                        + " of a JobSet whose jobs have " + pods + " pods.");
            }
            return Placement.of(
                    job * pods + pod,
                    variables.number(JobVariables.SIZE),
                    first(variables, variables.text(JobVariables.COORDINATOR), podPort(variables), false));
        }
    },

    /** An Indexed Job of Kubernetes with a headless service. */
    INDEXED_JOB(
            "Kubernetes, an Indexed Job",
            List.of("JOB_COMPLETION_INDEX", JobVariables.SIZE),
            "Kubernetes' documentation, Job with Pod-to-Pod Communication; docs/launchers.md has the manifest") {
        @Override
        Placement place(JobVariables variables) throws IOException {
            String index = variables.text("JOB_COMPLETION_INDEX");
            String name = variables.text("HOSTNAME");
            if (!name.endsWith("-" + index)) {
                throw new JobStartException("The name of the pod of index " + index + " ends with -" + index
                        + ", but HOSTNAME"
                        + " is '" + JobVariables.printable(name) + "'; set VERBENA_BOOTSTRAP to HOST:PORT of the pod of"
                        + " index 0.");
            }
            String host =
                    name.substring(0, name.length() - index.length()) + "0." + variables.text(JobVariables.SERVICE);
            return Placement.of(
                    variables.number("JOB_COMPLETION_INDEX"),
                    variables.number(JobVariables.SIZE),
                    first(variables, host, podPort(variables), false));
        }
    };

    /** A pod has an address of its own, so that any port is free. */
    private static final int POD_PORT = 7471;

    private final String title;
    private final List<String> names;
    private final String source;

    LaunchEnvironment(String title, List<String> names, String source) {
        this.title = title;
        this.names = names;
        this.source = source;
    }

    abstract Placement place(JobVariables variables) throws IOException;

    /** The name of the launcher, for people. */
    public String title() {
        return title;
    }

    /** The variables by which it is recognized: all of them are set. */
    public List<String> names() {
        return names;
    }

    /** Where its variables are described. */
    public String source() {
        return source;
    }

    /** The launcher of a process with these variables; none if it was started without one. */
    public static Optional<LaunchEnvironment> of(Map<String, String> environment) {
        JobVariables variables = new JobVariables(environment);
        for (LaunchEnvironment each : values()) {
            if (variables.hasAll(each.names)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /**
     * What the environment says of this rank. A process without a launcher is the only rank.
     *
     * @throws JobStartException if a variable is missing or malformed; the sentence names it
     * @throws IOException if the launcher cannot be asked
     */
    public static Placement placement(Map<String, String> environment) throws IOException {
        Optional<LaunchEnvironment> launcher = of(environment);
        if (launcher.isEmpty()) {
            return new Placement(0, 1, new MeetingPlace.Alone());
        }
        try {
            return launcher.get().place(new JobVariables(environment));
        } catch (JobStartException e) {
            throw new JobStartException(e.getMessage() + " (This rank was started by " + launcher.get().title + ".)");
        }
    }

    private static MeetingPlace named(String address) {
        return new FirstRank(address, Listening.NAMED);
    }

    private static MeetingPlace first(JobVariables variables, String host, int port, boolean oneHost) {
        if (variables.has(JobVariables.ADDRESS)) {
            return named(variables.textOr(JobVariables.ADDRESS, ""));
        }
        return new FirstRank((oneHost ? "127.0.0.1" : host) + ":" + port, oneHost ? Listening.LOOPBACK : Listening.ALL);
    }

    private static int podPort(JobVariables variables) throws JobStartException {
        return variables.has(JobVariables.PORT) ? variables.port(JobVariables.PORT) : POD_PORT;
    }

    private static boolean slurmOnOneHost(JobVariables variables) throws JobStartException {
        return variables.numberOr("SLURM_STEP_NUM_NODES", variables.numberOr("SLURM_NNODES", 0)) == 1;
    }
}

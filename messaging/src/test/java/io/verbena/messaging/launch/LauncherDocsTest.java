package io.verbena.messaging.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The page of the launchers names what the table reads, and its manifests set it. */
class LauncherDocsTest {

    private static final Path DOCS = Path.of("../docs");

    private static List<Object> documents(String name) throws IOException {
        List<Object> documents = new ArrayList<>();
        new Yaml(new SafeConstructor(new LoaderOptions()))
                .loadAll(Files.readString(DOCS.resolve("launchers").resolve(name)))
                .forEach(documents::add);
        return documents;
    }

    /** The value at a path of keys and indices, such as spec/template/0. */
    private static Object at(Object node, String path) {
        Object found = node;
        for (String each : path.split("/")) {
            found = found instanceof List<?> list
                    ? list.get(Integer.parseInt(each))
                    : Optional.<Object>ofNullable(((Map<?, ?>) found).get(each))
                            .orElseThrow(() -> new AssertionError(path));
        }
        return found;
    }

    /** The variables of the container: values, or where the cluster takes them from. */
    private static Map<String, String> variables(Object pod) {
        Map<String, String> variables = new HashMap<>();
        for (Object each : (List<?>) at(pod, "containers/0/env")) {
            Map<?, ?> variable = (Map<?, ?>) each;
            Object value = variable.containsKey("value") ? variable.get("value") : variable.get("valueFrom");
            variables.put(String.valueOf(variable.get("name")), String.valueOf(value));
        }
        return variables;
    }

    @Test
    void indexedJob_setsWhatTheTableReads_andItsServiceFindsThePods() throws IOException {
        List<Object> documents = documents("indexed-job.yaml");
        Object service = documents.get(0);
        assertEquals("None", at(service, "spec/clusterIP"));
        assertEquals(true, at(service, "spec/publishNotReadyAddresses"));
        Object job = documents.get(1);
        assertEquals("batch/v1 Job", at(job, "apiVersion") + " " + at(job, "kind"));
        assertEquals(at(job, "metadata/name"), at(service, "spec/selector/job-name"));
        assertEquals("Indexed", at(job, "spec/completionMode"));
        assertEquals(at(job, "spec/completions"), at(job, "spec/parallelism"));
        Object pod = at(job, "spec/template/spec");
        assertEquals(at(service, "metadata/name"), at(pod, "subdomain"));
        Map<String, String> variables = variables(pod);
        assertEquals(String.valueOf(at(job, "spec/completions")), variables.get("VERBENA_SIZE"));
        assertTrue(String.valueOf(variables.get("VERBENA_SECRET")).contains("secretKeyRef"));

        // What the cluster adds, as in the pod of index 3.
        variables.put("JOB_COMPLETION_INDEX", "3");
        variables.put("HOSTNAME", at(job, "metadata/name") + "-3");
        assertEquals(Optional.of(LaunchEnvironment.INDEXED_JOB), LaunchEnvironment.of(variables));
        assertEquals(
                new Placement(3, 4, new MeetingPlace.FirstRank("heat-0.ranks:7471", MeetingPlace.Listening.ALL)),
                LaunchEnvironment.placement(variables));
    }

    @Test
    void jobSet_setsWhatTheTableReads() throws IOException {
        Object set = documents("jobset.yaml").getFirst();
        assertEquals("jobset.x-k8s.io/v1alpha2 JobSet", at(set, "apiVersion") + " " + at(set, "kind"));
        assertEquals(true, at(set, "spec/network/enableDNSHostnames"));
        Object jobs = at(set, "spec/replicatedJobs/0");
        assertEquals(at(jobs, "name"), at(set, "spec/coordinator/replicatedJob"));
        assertEquals("0 0", at(set, "spec/coordinator/jobIndex") + " " + at(set, "spec/coordinator/podIndex"));
        Object job = at(jobs, "template/spec");
        assertEquals("Indexed", at(job, "completionMode"));
        int pods = (Integer) at(job, "completions");
        int replicas = (Integer) at(jobs, "replicas");
        Map<String, String> variables = variables(at(job, "template/spec"));
        assertEquals(String.valueOf(pods), variables.get("VERBENA_JOB_PODS"));
        assertEquals(String.valueOf(pods * replicas), variables.get("VERBENA_SIZE"));
        assertTrue(String.valueOf(variables.get("VERBENA_JOB_INDEX"))
                .contains("metadata.labels['jobset.sigs.k8s.io/job-global-index']"));
        assertTrue(String.valueOf(variables.get("VERBENA_COORDINATOR"))
                .contains("metadata.labels['jobset.sigs.k8s.io/coordinator']"));

        // What the cluster makes of the labels, in pod 2 of job 1.
        variables.put("VERBENA_JOB_INDEX", "1");
        variables.put("VERBENA_COORDINATOR", "heat-ranks-0-0.heat");
        variables.put("JOB_COMPLETION_INDEX", "2");
        assertEquals(
                new Placement(6, 8, new MeetingPlace.FirstRank("heat-ranks-0-0.heat:7471", MeetingPlace.Listening.ALL)),
                LaunchEnvironment.placement(variables));
    }

    @Test
    void page_namesTheVariablesOfEveryRow() throws IOException {
        String page = Files.readString(DOCS.resolve("launchers.md"));
        for (LaunchEnvironment each : LaunchEnvironment.values()) {
            for (String name : each.names()) {
                assertTrue(page.contains("`" + name + "`"), each + ": " + name);
            }
            assertTrue(!each.title().isBlank() && !each.source().isBlank(), each.name());
        }
    }
}

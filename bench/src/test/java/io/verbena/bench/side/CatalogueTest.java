package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CatalogueTest {

    private final Catalogue catalogue = new Catalogue(0);

    @Test
    void everyRow_takesItsSeries_fromAnExperimentThatHasThem() {
        for (Row row : catalogue.rows()) {
            for (Row.Candidate candidate : row.candidates()) {
                List<String> names = catalogue.experiment(candidate.experiment()).entrants().stream()
                        .map(Experiment.Entrant::name)
                        .toList();
                String series = candidate.ours();
                assertTrue(names.contains(series.contains("/") ? series.substring(0, series.indexOf('/')) : series));
                assertTrue(candidate.theirs().isEmpty() || names.contains(candidate.theirs()), row.title());
            }
        }
    }

    @Test
    void titles_areUnique() {
        Set<String> titles = new HashSet<>();
        catalogue.rows().forEach(row -> assertTrue(titles.add(row.title()), row.title()));
    }

    @Test
    void only_selectsByTitle() {
        assertEquals(
                2,
                new Comparison(Pattern.compile("^write_lat"), 7, true, 0)
                        .titles()
                        .size());
    }

    @Test
    void unknownExperiment_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> catalogue.experiment("none"));
    }

    @Test
    void sizes_readAsPeopleSayThem() {
        assertEquals("8 B", Catalogue.size(8));
        assertEquals("64 KiB", Catalogue.size(1 << 16));
        assertEquals("1 MiB", Catalogue.size(1 << 20));
    }
}

// The table of a sweep, for figures with one point per run.
#ifndef BR_CLI_PLOT_TABLE_H
#define BR_CLI_PLOT_TABLE_H

typedef struct plot_table {
    char *bytes;
    char ***cell; // [rows][columns]
    char **name;  // [columns]
    int columns, rows;
} plot_table;

// DIR or DIR/table.csv; what a file must begin with to be one.
int plot_table_is(const char *path);

// Prints what is wrong and returns 0. Freed by plot_table_free either way.
int plot_table_read(const char *path, plot_table *out);
void plot_table_free(plot_table *table);
int plot_table_find(const plot_table *table, const char *name);         // -1: there is none
double plot_table_number(const plot_table *table, int row, int column); // NAN: empty, or a word
int plot_table_has_words(const plot_table *table, int column);

#endif

CREATE TABLE public.activepu_events (
    study integer NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    sequence integer,
    item bigint,
    expert text,
    answer integer,
    note text,
    at double precision NOT NULL
);
CREATE TABLE public.activepu_experts (
    study integer NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.activepu_leases (
    study integer NOT NULL,
    sequence integer NOT NULL,
    token text NOT NULL,
    expert text NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.activepu_questions (
    sequence integer NOT NULL,
    study integer NOT NULL,
    item bigint NOT NULL,
    state text NOT NULL,
    answer integer,
    expert text NOT NULL,
    token text,
    expires double precision NOT NULL
);
CREATE TABLE public.activepu_studies (
    id integer NOT NULL,
    name text NOT NULL,
    made double precision NOT NULL,
    settings text NOT NULL
);
CREATE SEQUENCE public.activepu_studies_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.activepu_studies_id_seq OWNED BY public.activepu_studies.id;
CREATE TABLE public.activepu_version (
    id integer NOT NULL,
    version integer
);
CREATE SEQUENCE public.activepu_version_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.activepu_version_id_seq OWNED BY public.activepu_version.id;
ALTER TABLE ONLY public.activepu_studies ALTER COLUMN id SET DEFAULT nextval('public.activepu_studies_id_seq'::regclass);
ALTER TABLE ONLY public.activepu_version ALTER COLUMN id SET DEFAULT nextval('public.activepu_version_id_seq'::regclass);
INSERT INTO public.activepu_events VALUES (1, 1, 'ask', 0, 22, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.20348837209302326, "drawn": 0}', 1795132755.207733);
INSERT INTO public.activepu_events VALUES (1, 2, 'skip', 0, 22, 'ann', NULL, NULL, 1795132755.264351);
INSERT INTO public.activepu_events VALUES (1, 3, 'withdraw', 0, 22, NULL, NULL, NULL, 1795132755.264694);
INSERT INTO public.activepu_events VALUES (1, 4, 'ask', 1, 312, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.20348837209302326, "drawn": 0}', 1795132755.367012);
INSERT INTO public.activepu_events VALUES (1, 5, 'answer', 1, 312, 'bob', 0, NULL, 1795132755.385386);
INSERT INTO public.activepu_events VALUES (1, 6, 'ask', 2, 319, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.18783309108527133, "drawn": 0}', 1795132755.471625);
INSERT INTO public.activepu_events VALUES (1, 7, 'answer', 2, 319, 'ann', 0, NULL, 1795132755.484165);
INSERT INTO public.activepu_events VALUES (1, 8, 'ask', 3, 245, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.17662659479733508, "drawn": 0}', 1795132755.557375);
INSERT INTO public.activepu_events VALUES (1, 9, 'answer', 3, 245, 'bob', 0, NULL, 1795132755.576106);
INSERT INTO public.activepu_events VALUES (1, 10, 'ask', 4, 222, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.15930712007158207, "drawn": 0}', 1795132755.634915);
INSERT INTO public.activepu_events VALUES (1, 11, 'answer', 4, 222, 'ann', 0, NULL, 1795132755.648018);
INSERT INTO public.activepu_events VALUES (1, 12, 'ask', 5, 322, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.134532713578973, "drawn": 0}', 1795132755.723156);
INSERT INTO public.activepu_events VALUES (1, 13, 'answer', 5, 322, 'bob', 0, NULL, 1795132755.74289);
INSERT INTO public.activepu_events VALUES (1, 14, 'ask', 6, 95, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.10034495114381317, "drawn": 0}', 1795132755.817405);
INSERT INTO public.activepu_events VALUES (1, 15, 'answer', 6, 95, 'ann', 0, NULL, 1795132755.832069);
INSERT INTO public.activepu_events VALUES (1, 16, 'ask', 7, 226, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.10424251337911268, "drawn": 0}', 1795132755.902872);
INSERT INTO public.activepu_events VALUES (1, 17, 'answer', 7, 226, 'bob', 1, NULL, 1795132755.916218);
INSERT INTO public.activepu_events VALUES (1, 18, 'ask', 8, 321, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.2633040148340442, "drawn": 0}', 1795132756.012148);
INSERT INTO public.activepu_events VALUES (1, 19, 'answer', 8, 321, 'ann', 0, NULL, 1795132756.036072);
INSERT INTO public.activepu_events VALUES (1, 20, 'ask', 9, 101, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.2350451114950698, "drawn": 0}', 1795132756.099763);
INSERT INTO public.activepu_events VALUES (1, 21, 'answer', 9, 101, 'bob', 0, NULL, 1795132756.112114);
INSERT INTO public.activepu_events VALUES (1, 22, 'ask', 10, 3, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.20399201014300897, "drawn": 0}', 1795132756.170996);
INSERT INTO public.activepu_events VALUES (1, 23, 'answer', 10, 3, 'ann', 1, NULL, 1795132756.187686);
INSERT INTO public.activepu_events VALUES (1, 24, 'undo', 10, 3, 'ann', NULL, NULL, 1795132756.222592);
INSERT INTO public.activepu_events VALUES (1, 25, 'answer', 10, 3, 'ann', 1, NULL, 1795132756.235997);
INSERT INTO public.activepu_events VALUES (1, 26, 'ask', 11, 331, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.27649972972293163, "drawn": 0}', 1795132756.410934);
INSERT INTO public.activepu_events VALUES (1, 27, 'answer', 11, 331, 'bob', 0, NULL, 1795132756.417294);
INSERT INTO public.activepu_events VALUES (1, 28, 'ask', 12, 301, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.517961138244109, "drawn": 0}', 1795132756.502844);
INSERT INTO public.activepu_events VALUES (1, 29, 'answer', 12, 301, 'ann', 1, NULL, 1795132756.519);
INSERT INTO public.activepu_events VALUES (1, 30, 'ask', 13, 199, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.33826394164653445, "drawn": 0}', 1795132756.583151);
INSERT INTO public.activepu_events VALUES (1, 31, 'answer', 13, 199, 'bob', 0, NULL, 1795132756.595663);
INSERT INTO public.activepu_events VALUES (1, 32, 'ask', 14, 0, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.40701690563294735, "drawn": 0}', 1795132756.671087);
INSERT INTO public.activepu_events VALUES (1, 33, 'answer', 14, 0, 'ann', 1, NULL, 1795132756.676086);
INSERT INTO public.activepu_events VALUES (1, 34, 'ask', 15, 158, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.38431021687111777, "drawn": 0}', 1795132756.746854);
INSERT INTO public.activepu_events VALUES (1, 35, 'answer', 15, 158, 'bob', 1, NULL, 1795132756.755784);
INSERT INTO public.activepu_events VALUES (1, 36, 'ask', 16, 225, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3622916625433711, "drawn": 0}', 1795132756.830907);
INSERT INTO public.activepu_events VALUES (1, 37, 'answer', 16, 225, 'ann', 0, NULL, 1795132756.838641);
INSERT INTO public.activepu_events VALUES (1, 38, 'ask', 17, 129, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.39018571338401664, "drawn": 0}', 1795132756.911381);
INSERT INTO public.activepu_events VALUES (1, 39, 'answer', 17, 129, 'bob', 0, NULL, 1795132756.92703);
INSERT INTO public.activepu_events VALUES (1, 40, 'ask', 18, 37, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3722778031633059, "drawn": 0}', 1795132757.002905);
INSERT INTO public.activepu_events VALUES (1, 41, 'answer', 18, 37, 'ann', 1, NULL, 1795132757.017145);
INSERT INTO public.activepu_events VALUES (1, 42, 'ask', 19, 387, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.40230689733734254, "drawn": 0}', 1795132757.106769);
INSERT INTO public.activepu_events VALUES (1, 43, 'answer', 19, 387, 'bob', 1, NULL, 1795132757.118753);
INSERT INTO public.activepu_events VALUES (1, 44, 'ask', 20, 40, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.38463422195116215, "drawn": 0}', 1795132757.203598);
INSERT INTO public.activepu_events VALUES (1, 45, 'answer', 20, 40, 'ann', 0, NULL, 1795132757.223584);
INSERT INTO public.activepu_events VALUES (1, 46, 'ask', 21, 275, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.43234958557353337, "drawn": 0}', 1795132757.307056);
INSERT INTO public.activepu_events VALUES (1, 47, 'answer', 21, 275, 'bob', 1, NULL, 1795132757.311653);
INSERT INTO public.activepu_events VALUES (1, 48, 'ask', 22, 297, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.313359859272859, "drawn": 0}', 1795132757.414866);
INSERT INTO public.activepu_events VALUES (1, 49, 'answer', 22, 297, 'ann', 0, NULL, 1795132757.416211);
INSERT INTO public.activepu_events VALUES (1, 50, 'ask', 23, 213, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.46853986659012214, "drawn": 0}', 1795132757.51582);
INSERT INTO public.activepu_events VALUES (1, 51, 'answer', 23, 213, 'bob', 0, NULL, 1795132757.531634);
INSERT INTO public.activepu_events VALUES (1, 52, 'ask', 24, 113, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.322302211554635, "drawn": 0}', 1795132757.617616);
INSERT INTO public.activepu_events VALUES (1, 53, 'answer', 24, 113, 'ann', 0, NULL, 1795132757.63131);
INSERT INTO public.activepu_events VALUES (1, 54, 'ask', 25, 394, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.37526192095767524, "drawn": 0}', 1795132757.726856);
INSERT INTO public.activepu_events VALUES (1, 55, 'answer', 25, 394, 'bob', 1, NULL, 1795132757.738982);
INSERT INTO public.activepu_events VALUES (1, 56, 'ask', 26, 125, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3991214257449601, "drawn": 0}', 1795132757.830786);
INSERT INTO public.activepu_events VALUES (1, 57, 'answer', 26, 125, 'ann', 1, NULL, 1795132757.846883);
INSERT INTO public.activepu_events VALUES (1, 58, 'ask', 27, 239, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.31259081133470695, "drawn": 0}', 1795132757.942821);
INSERT INTO public.activepu_events VALUES (1, 59, 'answer', 27, 239, 'bob', 0, NULL, 1795132757.959726);
INSERT INTO public.activepu_events VALUES (1, 60, 'ask', 28, 240, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.41572692172515896, "drawn": 0}', 1795132758.058844);
INSERT INTO public.activepu_events VALUES (1, 61, 'answer', 28, 240, 'ann', 1, NULL, 1795132758.071083);
INSERT INTO public.activepu_events VALUES (1, 62, 'ask', 29, 220, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.37773794809365463, "drawn": 0}', 1795132758.166838);
INSERT INTO public.activepu_events VALUES (1, 63, 'answer', 29, 220, 'bob', 0, NULL, 1795132758.175653);
INSERT INTO public.activepu_events VALUES (1, 64, 'ask', 30, 140, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3085733897500945, "drawn": 0}', 1795132758.270855);
INSERT INTO public.activepu_events VALUES (1, 65, 'answer', 30, 140, 'ann', 0, NULL, 1795132758.287358);
INSERT INTO public.activepu_events VALUES (1, 66, 'ask', 31, 340, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.23874484386958297, "drawn": 0}', 1795132758.390874);
INSERT INTO public.activepu_experts VALUES (1, 'ann');
INSERT INTO public.activepu_experts VALUES (1, 'bob');
INSERT INTO public.activepu_leases VALUES (1, 0, '0-iO-8g5GKHl8KEvEoTFK6Fw', 'ann', 'skipped');
INSERT INTO public.activepu_leases VALUES (1, 10, '10-Y3Y2sLR__hEU8c481pFwJQ', 'ann', 'undone');
INSERT INTO public.activepu_questions VALUES (0, 1, 22, 'withdrawn', NULL, '', NULL, 0);
INSERT INTO public.activepu_questions VALUES (1, 1, 312, 'answered', 0, 'bob', '1-vyTzXEB3ayXJ34lSZ1fLEw', 1795133655.358437);
INSERT INTO public.activepu_questions VALUES (2, 1, 319, 'answered', 0, 'ann', '2-bMrg4EvPvcT91wN2oh6DRg', 1795133655.471224);
INSERT INTO public.activepu_questions VALUES (3, 1, 245, 'answered', 0, 'bob', '3-Eg9iqx0hyAPsR-Nlq16QCA', 1795133655.549551);
INSERT INTO public.activepu_questions VALUES (4, 1, 222, 'answered', 0, 'ann', '4-049skBJJ2n4PgQF9lcBl5Q', 1795133655.625338);
INSERT INTO public.activepu_questions VALUES (5, 1, 322, 'answered', 0, 'bob', '5-DRuPzTd1M5sc1WNMYppgVw', 1795133655.72256);
INSERT INTO public.activepu_questions VALUES (6, 1, 95, 'answered', 0, 'ann', '6-uTyCAUThCvHn849ukM0K2w', 1795133655.815806);
INSERT INTO public.activepu_questions VALUES (7, 1, 226, 'answered', 1, 'bob', '7-uf7WEYoXo4GDxl3DY-tQ4Q', 1795133655.896278);
INSERT INTO public.activepu_questions VALUES (8, 1, 321, 'answered', 0, 'ann', '8-KGi1hX2jSlzBbneNgH1wJA', 1795133656.011755);
INSERT INTO public.activepu_questions VALUES (9, 1, 101, 'answered', 0, 'bob', '9-qUaowxd_WMn77NghugDufg', 1795133656.099476);
INSERT INTO public.activepu_questions VALUES (10, 1, 3, 'answered', 1, 'ann', '10-HduAqnCaPpsYBBfULVlEZQ', 1795133656.222313);
INSERT INTO public.activepu_questions VALUES (11, 1, 331, 'answered', 0, 'bob', '11-TIupIIGxPRQB7Wuo0bF9VQ', 1795133656.40252);
INSERT INTO public.activepu_questions VALUES (12, 1, 301, 'answered', 1, 'ann', '12-8uQVKrYyusH8BJ-_w1KLcQ', 1795133656.498529);
INSERT INTO public.activepu_questions VALUES (13, 1, 199, 'answered', 0, 'bob', '13-8l5ndRHvplA1SY1B9hdp8w', 1795133656.582786);
INSERT INTO public.activepu_questions VALUES (14, 1, 0, 'answered', 1, 'ann', '14-GbMyeshmOSvENZLWz6tZTQ', 1795133656.670699);
INSERT INTO public.activepu_questions VALUES (15, 1, 158, 'answered', 1, 'bob', '15-fGC-m_ekB-QVyJepJdK1LQ', 1795133656.737208);
INSERT INTO public.activepu_questions VALUES (16, 1, 225, 'answered', 0, 'ann', '16-ug4J5nywrBiVBdGV8Me2xA', 1795133656.830515);
INSERT INTO public.activepu_questions VALUES (17, 1, 129, 'answered', 0, 'bob', '17-9fehvqCCklQ4cOH2Ziccfg', 1795133656.911031);
INSERT INTO public.activepu_questions VALUES (18, 1, 37, 'answered', 1, 'ann', '18-Uv-ptvui4idkCDPRP5J1HQ', 1795133656.9929);
INSERT INTO public.activepu_questions VALUES (19, 1, 387, 'answered', 1, 'bob', '19-B2ZUATCsxznS1ExrxJUCdw', 1795133657.103767);
INSERT INTO public.activepu_questions VALUES (20, 1, 40, 'answered', 0, 'ann', '20-qtJGtBli3FLWw72ZkE90Sw', 1795133657.203302);
INSERT INTO public.activepu_questions VALUES (21, 1, 275, 'answered', 1, 'bob', '21-V8tCnJyIYOPGGzdw8_8EtA', 1795133657.297623);
INSERT INTO public.activepu_questions VALUES (22, 1, 297, 'answered', 0, 'ann', '22-LpOiY4f_hxOMZnGRZJ2LwQ', 1795133657.401916);
INSERT INTO public.activepu_questions VALUES (23, 1, 213, 'answered', 0, 'bob', '23-8elQNXdEovTGb2dHzxIMMw', 1795133657.515514);
INSERT INTO public.activepu_questions VALUES (24, 1, 113, 'answered', 0, 'ann', '24-QCTzRHuRZoeFITFAbtuOQQ', 1795133657.6173);
INSERT INTO public.activepu_questions VALUES (25, 1, 394, 'answered', 1, 'bob', '25-LalGpCKu0gyKGK8oREQqYQ', 1795133657.719869);
INSERT INTO public.activepu_questions VALUES (26, 1, 125, 'answered', 1, 'ann', '26-Fmfn4wAQx2Z9oKDPlNkaqQ', 1795133657.826537);
INSERT INTO public.activepu_questions VALUES (27, 1, 239, 'answered', 0, 'bob', '27-5zPqlxrXHGrb_emtUuwqcg', 1795133657.939217);
INSERT INTO public.activepu_questions VALUES (28, 1, 240, 'answered', 1, 'ann', '28-cwXzFN-M81jOXX_2yivLaw', 1795133658.044646);
INSERT INTO public.activepu_questions VALUES (29, 1, 220, 'answered', 0, 'bob', '29-rTkI0AZKnUu8hrsom1HUaQ', 1795133658.159284);
INSERT INTO public.activepu_questions VALUES (30, 1, 140, 'answered', 0, 'ann', '30-AdpU1eOzgLCgKzKgArGhuA', 1795133658.258264);
INSERT INTO public.activepu_questions VALUES (31, 1, 340, 'open', NULL, 'ann', '31-eHzKZ-8BnZE-DUe83LAaDQ', 1795133658.37823);
INSERT INTO public.activepu_studies VALUES (1, 's', 1795132755.076857, '{"pool": {"rows": 400, "columns": null, "fingerprint": "25130606840960b5d8465e30c66c839bb3c46e8632a1d4a80744c45143e11df5", "made from": null, "columns of the file": null}, "learner": {"learner": "ZCal", "code": false, "settings": {"hypotheses": {"hypotheses": {"class": "boxes", "dim": null, "names": null}}, "epsilon": 0.1, "delta": 0.1, "rate": null, "false_reveal": 0.0, "check": 0}}, "says": null, "positives": [], "seed": 0, "open_per_expert": 2, "lease_seconds": 900.0, "activepu": "0.1.0"}');
INSERT INTO public.activepu_version VALUES (1, 1);
SELECT pg_catalog.setval('public.activepu_studies_id_seq', 1, true);
SELECT pg_catalog.setval('public.activepu_version_id_seq', 1, false);
ALTER TABLE ONLY public.activepu_events
    ADD CONSTRAINT activepu_events_pkey PRIMARY KEY (study, number);
ALTER TABLE ONLY public.activepu_experts
    ADD CONSTRAINT activepu_experts_pkey PRIMARY KEY (study, name);
ALTER TABLE ONLY public.activepu_leases
    ADD CONSTRAINT activepu_leases_pkey PRIMARY KEY (study, sequence, token);
ALTER TABLE ONLY public.activepu_questions
    ADD CONSTRAINT activepu_questions_pkey PRIMARY KEY (sequence, study);
ALTER TABLE ONLY public.activepu_studies
    ADD CONSTRAINT activepu_studies_name_key UNIQUE (name);
ALTER TABLE ONLY public.activepu_studies
    ADD CONSTRAINT activepu_studies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.activepu_version
    ADD CONSTRAINT activepu_version_pkey PRIMARY KEY (id);
CREATE INDEX activepu_open_questions ON public.activepu_questions USING btree (study, expert, sequence) WHERE (state = 'open'::text);
ALTER TABLE ONLY public.activepu_events
    ADD CONSTRAINT activepu_events_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_experts
    ADD CONSTRAINT activepu_experts_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_leases
    ADD CONSTRAINT activepu_leases_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_questions
    ADD CONSTRAINT activepu_questions_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);

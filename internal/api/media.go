package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
)

// mediaPath is the URL prefix of public images.
const mediaPath = "/media/"

// mediaKey returns the storage key of a URL. Only keys of public images can result.
func mediaKey(address string) string {
	return string(files.Media) + "/" + strings.TrimPrefix(address, mediaPath)
}

// mediaExists reports whether a URL is that of an uploaded image.
func (s *Server) mediaExists(ctx context.Context, address string) (bool, error) {
	if !strings.HasPrefix(address, mediaPath) {
		return false, nil
	}
	f, err := s.Files.Open(ctx, mediaKey(address))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return false, nil
	}
	if err != nil {
		return false, filesError(err)
	}
	return true, f.Close()
}

// Maximum sizes in which images are stored.
const (
	bannerWidth, bannerHeight = 2400, 2400
	logoSide                  = 512
)

// uploadBanner adds a banner after the others.
func (s *Server) uploadBanner(ctx context.Context, in *upload) (hospital.Banner, error) {
	b := hospital.Banner{ID: hospital.NewBannerID(), Active: true}
	picture, err := s.readImage(ctx, in, bannerWidth, bannerHeight, map[string]*string{"alt": &b.Alt, "link": &b.Link})
	if err != nil {
		return b, err
	}
	b.Alt, b.Link = hospital.CleanText(b.Alt), strings.TrimSpace(b.Link)
	if err := b.ValidateTexts(); err != nil {
		return b, err
	}
	answer := func(hospital.Setting) hospital.Banner { return b }
	return respond(ctx, answer, func(ctx context.Context) (hospital.Setting, error) {
		return s.storePicture(ctx, picture, func(f *hospital.SettingFields, address string) {
			b.Image = address
			f.Banners = append(slices.Clone(f.Banners), b)
		})
	})
}

// logoAnswer is the URL of the new logo.
type logoAnswer struct {
	Logo string `json:"logo" doc:"URL of the logo"`
}

// uploadLogo replaces the logo.
func (s *Server) uploadLogo(ctx context.Context, in *upload) (logoAnswer, error) {
	picture, err := s.readImage(ctx, in, logoSide, logoSide, nil)
	if err != nil {
		return logoAnswer{}, err
	}
	answer := func(v hospital.Setting) logoAnswer { return logoAnswer{v.Logo} }
	return respond(ctx, answer, func(ctx context.Context) (hospital.Setting, error) {
		return s.storePicture(ctx, picture, func(f *hospital.SettingFields, address string) { f.Logo = address })
	})
}

// readImage reads a form with an image and re-encodes it. It returns FILE_TOO_LARGE and the errors of
// files.CleanImage.
func (s *Server) readImage(ctx context.Context, in *upload, width, height int,
	texts map[string]*string) (p files.Picture, err error) {
	setting, err := s.DB.Setting(ctx)
	if err != nil {
		return p, err
	}
	limit := min(int64(setting.UploadMaxMb)<<20, files.MaxImageBytes)
	var data []byte
	err = in.read(limit, texts, func(_ string, r io.Reader) error {
		if data, err = io.ReadAll(io.LimitReader(r, limit+1)); err != nil {
			return hospital.Reject(hospital.BadRequest)
		}
		if int64(len(data)) > limit {
			return files.TooLarge(limit)
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	return files.CleanImage(ctx, data, width, height)
}

// storePicture stores the image and calls apply to add its URL to the settings. If apply fails, the image is
// deleted; if the outcome is unknown, the daily clean-up decides.
func (s *Server) storePicture(ctx context.Context, p files.Picture,
	apply func(f *hospital.SettingFields, address string)) (hospital.Setting, error) {
	key := files.NewKey(files.Media, p.Ending)
	if _, err := s.Files.Put(ctx, key, bytes.NewReader(p.Body), int64(len(p.Body))); err != nil {
		return hospital.Setting{}, filesError(err)
	}
	v, err := s.DB.AmendSetting(ctx, func(f *hospital.SettingFields) error {
		apply(f, "/"+key)
		return nil
	})
	if code := hospital.CodeOf(err); err != nil &&
		(code != hospital.Internal && code != hospital.Unavailable || hospital.IsStorageFull(err)) {
		err = errors.Join(err, s.Files.Delete(context.WithoutCancel(ctx), key))
	}
	return v, err
}

type mediaInput struct {
	Key string `path:"key"`
}

// media registers the route of public images. No other file is accessible, and the content of a URL never
// changes.
func (s *Server) media(route string, access hospital.Access, summary string) {
	picture := &huma.Response{Description: "The image", Content: map[string]*huma.MediaType{}}
	for _, t := range []string{"image/png", "image/jpeg"} {
		picture.Content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	huma.Register(s.huma, huma.Operation{
		OperationID: operationID(http.MethodGet, route), Method: http.MethodGet, Path: route, Summary: summary,
		Tags:       []string{"media-file"},
		Metadata:   map[string]any{accessKey: access, serverKey: s, limitKey: longTime},
		Extensions: map[string]any{"x-permission": access.String()},
		Responses:  map[string]*huma.Response{"200": picture},
	}, func(ctx context.Context, in *mediaInput) (*huma.StreamResponse, error) {
		contentType := files.ImageType(path.Ext(in.Key))
		f, err := s.Files.Open(ctx, mediaKey(in.Key))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || err == nil && contentType == "" {
			return nil, hospital.Reject(hospital.NotFound)
		}
		if err != nil {
			return nil, filesError(err)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer f.Close() //nolint:errcheck // only read
			r, w := humago.Unwrap(ctx)
			h := w.Header()
			h.Set("Content-Type", contentType)
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			h.Set("ETag", `"`+in.Key+`"`)
			h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
			http.ServeContent(w, r, "", f.ModTime, f)
		}}, nil
	})
	s.mux.HandleFunc(mediaPath, func(w http.ResponseWriter, r *http.Request) {
		s.writePlainError(w, r, hospital.Reject(hospital.NotFound))
	})
}
